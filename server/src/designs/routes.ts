import { DesignChange, DesignPage, DesignView } from '@cloche/contract/design';
import { designUri, UUID } from '@cloche/contract/id';
import { ListQuery } from '@cloche/contract/list';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { Blobs } from '../blobs/blobs.ts';
import { sendBlob } from '../http/files.ts';
import { nextCursor, readPage } from '../http/list.ts';
import { cleanText } from '../http/text.ts';
import { checkDesign, type Token } from '../tokens/token.ts';
import type { Design } from './design.ts';
import type { Designs } from './designs.ts';

type Given = { designs: Designs; blobs: Blobs; now: () => Date };

const ById = Type.Object({
  id: Type.String({ pattern: UUID, description: 'The id of the design: a UUID.' }),
});
const tags = ['designs'];

/** /v1/designs: list, read, rename, delete, and the file as it was sent. Making one: create.ts. */
export const designRoutes: FastifyPluginAsyncTypebox<Given> = async (app, given) => {
  const { designs, blobs, now } = given;

  app.get(
    '/',
    {
      config: { needs: 'read' },
      schema: {
        tags,
        summary: 'List designs',
        querystring: ListQuery,
        response: { 200: DesignPage },
      },
    },
    async (request) => {
      const { user, designs: only } = request.caller;
      const page = readPage(request.query);
      const items = await designs.list(user, page, only);
      return { items: items.map(view), nextCursor: nextCursor(items, page) };
    },
  );

  app.get(
    '/:id',
    {
      config: { needs: 'read' },
      schema: { tags, summary: 'Read a design', params: ById, response: { 200: DesignView } },
    },
    async (request) => view(await getDesign(designs, request.caller, request.params.id)),
  );

  app.patch(
    '/:id',
    {
      config: { needs: 'write' },
      schema: {
        tags,
        summary: 'Rename or describe a design',
        params: ById,
        body: DesignChange,
        response: { 200: DesignView },
      },
    },
    async (request) => {
      const design = await getDesign(designs, request.caller, request.params.id);
      const changed = { ...design, ...readChange(request.body), updatedAt: now() };
      await designs.change(changed);
      return view(changed);
    },
  );

  app.delete(
    '/:id',
    {
      config: { needs: 'write' },
      schema: {
        tags,
        summary: 'Delete a design',
        description: 'Every embed of it stops at its next request.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const design = await getDesign(designs, request.caller, request.params.id);
      await designs.remove(design.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/:id/model',
    {
      config: { needs: 'read', produces: ['model/gltf-binary', 'application/octet-stream'] },
      schema: {
        tags,
        summary: 'The file as it was sent',
        description: 'As an attachment; answers `Range`.',
        params: ById,
        produces: ['model/gltf-binary'],
      },
    },
    async (request, reply) => {
      const design = await getDesign(designs, request.caller, request.params.id);
      const { revision } = design;
      if (revision === undefined) throw new Problem('design.unknown', { field: 'path.id' });
      reply.header('content-disposition', `attachment; filename="${design.id}.glb"`);
      reply.header('content-security-policy', "default-src 'none'; sandbox");
      reply.header('cache-control', 'private, no-cache');
      const file = { ref: revision.source, bytes: revision.stats.bytes, type: 'model/gltf-binary' };
      return sendBlob(request, reply, { blobs, ...file });
    },
  );
};

/**
 * A design of the caller's.
 * @throws {Problem} design.unknown, also for other people's, and token.design
 */
export async function getDesign(designs: Designs, caller: Token, id: string): Promise<Design> {
  const design = await designs.find(id);
  if (design === undefined || design.user !== caller.user) {
    throw new Problem('design.unknown', {
      detail: `There is no design ${id} here. GET /v1/designs lists yours.`,
    });
  }
  checkDesign(caller, id);
  return design;
}

function readChange({ name, description }: DesignChange) {
  return {
    ...(name !== undefined && { name: cleanText(name, 'name') }),
    ...(description !== undefined && { description: description.toWellFormed() }),
  };
}

export function view(design: Design): DesignView {
  const { id, name, description, status, revision } = design;
  return {
    id,
    uri: designUri(id),
    name,
    description,
    status,
    revision: revision?.number ?? null,
    stats: revision?.stats ?? null,
    createdAt: design.createdAt.toISOString(),
    updatedAt: design.updatedAt.toISOString(),
  };
}
