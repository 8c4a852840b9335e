import {
  DesignChange,
  DesignPage,
  DesignView,
  RevisionList,
  type RevisionView,
} from '@cloche/contract/design';
import { UUID } from '@cloche/contract/id';
import { ListQuery } from '@cloche/contract/list';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { Blobs } from '../blobs/blobs.ts';
import { sendBlob } from '../http/files.ts';
import { nextCursor, readPage } from '../http/list.ts';
import { cleanText } from '../http/text.ts';
import { FORMATS } from '../pipeline/format.ts';
import type { Runner } from '../pipeline/runner.ts';
import { checkDesign, type Token } from '../tokens/token.ts';
import type { Design, Revision, Source } from './design.ts';
import type { Designs } from './designs.ts';
import type { Uploads } from './uploads.ts';
import type { Views } from './views.ts';

type Given = {
  designs: Designs;
  uploads: Uploads;
  views: Views;
  blobs: Blobs;
  runner: Pick<Runner, 'abort'>;
  now: () => Date;
};

const ById = Type.Object({
  id: Type.String({ pattern: UUID, description: 'The id of the design: a UUID.' }),
});
const tags = ['designs'];

/** /v1/designs: list, read, change, delete, and the file as it was sent. Making one: create.ts. */
export const designRoutes: FastifyPluginAsyncTypebox<Given> = async (app, given) => {
  const { designs, uploads, views, blobs, runner, now } = given;

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
      return { items: items.map((one) => views.of(one)), nextCursor: nextCursor(items, page) };
    },
  );

  app.get(
    '/:id',
    {
      config: { needs: 'read' },
      schema: { tags, summary: 'Read a design', params: ById, response: { 200: DesignView } },
    },
    async (request) => views.of(await getDesign(designs, request.caller, request.params.id)),
  );

  app.patch(
    '/:id',
    {
      config: { needs: 'write' },
      schema: {
        tags,
        summary: 'Rename or describe a design, or show another revision of it',
        params: ById,
        body: DesignChange,
        response: { 200: DesignView },
      },
    },
    async (request) => {
      const design = await getDesign(designs, request.caller, request.params.id);
      const { revision: number, ...words } = request.body;
      const revision = number === undefined ? undefined : await getReady(uploads, design, number);
      await designs.change({
        ...design,
        ...readWords(words),
        ...(revision && { revision }),
        updatedAt: now(),
      });
      return views.of(await getDesign(designs, request.caller, design.id));
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
      const pending = await uploads.list(design.id);
      await designs.remove(design.id);
      for (const { upload } of pending) runner.abort(upload.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/:id/revisions',
    {
      config: { needs: 'read' },
      schema: {
        tags,
        summary: 'List the revisions of a design',
        description:
          'The newest first. To roll back: PATCH the design with the number of an older one.',
        params: ById,
        response: { 200: RevisionList },
      },
    },
    async (request) => {
      const design = await getDesign(designs, request.caller, request.params.id);
      const all = await uploads.list(design.id);
      return { items: all.map((one) => viewRevision(one, design)) };
    },
  );

  app.get(
    '/:id/model',
    {
      config: { needs: 'read', produces: FILE_TYPES },
      schema: {
        tags,
        summary: 'The file as it was sent',
        description:
          'The upload behind the revision that is shown, or the last one while there is none. As an attachment; answers `Range`.',
        params: ById,
        produces: FILE_TYPES,
      },
    },
    async (request, reply) => {
      const design = await getDesign(designs, request.caller, request.params.id);
      const source =
        design.revision?.source ?? (await uploads.list(design.id, 1))[0]?.upload.source;
      if (source === undefined) throw new Problem('design.unknown', { field: 'path.id' });
      const { extension, type } = fileOf(source.examined);
      const headers = {
        'content-type': type,
        'content-disposition': `attachment; filename="${design.id}.${extension}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, no-cache',
      };
      return sendBlob(request, reply, { blobs, ref: source.blob, bytes: source.bytes, headers });
    },
  );
};

const FILE_TYPES = [
  'application/octet-stream',
  ...new Set(Object.values(FORMATS).map(({ type }) => type)),
  'application/zip',
];

function fileOf({ format, main }: Source['examined']) {
  return main === undefined ? FORMATS[format] : { extension: 'zip', type: 'application/zip' };
}

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

/** @throws {Problem} request.invalid */
async function getReady(uploads: Uploads, { id }: Design, number: number): Promise<Revision> {
  const revision = await uploads.findReady(id, number);
  if (revision !== undefined) return revision;
  throw new Problem('request.invalid', {
    field: 'revision',
    detail: `revision: the design has no revision ${number} that is ready. GET /v1/designs/${id}/revisions lists them.`,
  });
}

function readWords({ name, description }: Omit<DesignChange, 'revision'>) {
  return {
    ...(name !== undefined && { name: cleanText(name, 'name') }),
    ...(description !== undefined && { description: description.toWellFormed() }),
  };
}

function viewRevision(
  { upload, status, createdAt }: Awaited<ReturnType<Uploads['list']>>[number],
  design: Design,
): RevisionView {
  const { number, source } = upload;
  return {
    number,
    status,
    shown: design.revision?.id === upload.id,
    format: source.examined.format,
    bytes: source.bytes,
    sha256: source.blob,
    createdAt: createdAt.toISOString(),
  };
}
