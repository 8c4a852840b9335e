import { Design, DesignList, UpdateDesignRequest } from '@cloche/contract/design';
import { ListQuery } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Reserve } from '../disk/disk-reserve.ts';
import { parseDisplayName } from '../http/display-name.ts';
import { parsePagination, toNextCursor } from '../http/pagination.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import { deleteBlobsIfUnreferenced } from './delete-unreferenced-blobs.ts';
import type { DesignRecord, ReadyRevision } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import type { RevisionStore } from './revision-store.ts';

export type DesignRouteDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  watcher: DesignWatcher;
  blobs: BlobStore;
  reserve: Reserve;
  runner: Pick<JobRunner, 'abort'>;
  now: () => Date;
};

const tags = ['designs'];

/** /v1/designs: list, read, update and delete designs. */
export const designRoutes: FastifyPluginAsyncTypebox<DesignRouteDependencies> = async (
  app,
  { designs, revisions, watcher, blobs, reserve, runner, now },
) => {
  app.get(
    '/',
    {
      config: { auth: 'read' },
      schema: {
        tags,
        summary: 'List designs',
        querystring: ListQuery,
        response: { 200: DesignList },
      },
    },
    async (request) => {
      const { user, designs: onlyIds } = request.token;
      const page = parsePagination(request.query);
      const records = await designs.list(user, page, onlyIds);
      return {
        items: records.map((record) => watcher.toDesign(record)),
        nextCursor: toNextCursor(records, page),
      };
    },
  );

  app.get(
    '/:id',
    {
      config: { auth: 'read' },
      schema: { tags, summary: 'Read a design', params: DesignIdParams, response: { 200: Design } },
    },
    async (request) =>
      watcher.toDesign(await getAccessibleDesign(designs, request.token, request.params.id)),
  );

  app.patch(
    '/:id',
    {
      config: { auth: 'write' },
      schema: {
        tags,
        summary: 'Update a design',
        description:
          'Changes its name or description, or the revision that embeds show. To roll back, pass the number of an older revision.',
        params: DesignIdParams,
        body: UpdateDesignRequest,
        response: { 200: Design },
      },
    },
    async (request) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const { revision: number, ...texts } = request.body;
      const revision =
        number === undefined ? undefined : await getReadyRevision(revisions, design, number);
      await designs.update({
        ...design,
        ...normalizeTexts(texts),
        ...(revision && { revision }),
        updatedAt: now(),
      });
      return watcher.toDesign(await getAccessibleDesign(designs, request.token, design.id));
    },
  );

  app.delete(
    '/:id',
    {
      config: { auth: 'write' },
      schema: {
        tags,
        summary: 'Delete a design',
        description:
          'Its embeds stop working at their next request. If the disk is almost full, its files are deleted at once, else within a day or two.',
        params: DesignIdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const summaries = await revisions.list(design.id);
      const refs = await revisions.listBlobs(design.id);
      await designs.remove(design.id);
      for (const { revision } of summaries) runner.abort(revision.id);
      if (await reserve.isSpaceLow()) await deleteBlobsIfUnreferenced(blobs, revisions, refs);
      return reply.code(204).send(null);
    },
  );
};

/** @throws {Problem} request.invalid */
async function getReadyRevision(
  revisions: RevisionStore,
  { id }: DesignRecord,
  number: number,
): Promise<ReadyRevision> {
  const revision = await revisions.findReady(id, number);
  if (revision !== undefined) return revision;
  throw new Problem('request.invalid', {
    field: 'revision',
    detail: `revision: the design has no revision ${number} that is ready. GET /v1/designs/${id}/revisions lists its revisions.`,
  });
}

function normalizeTexts({ name, description }: Omit<UpdateDesignRequest, 'revision'>) {
  return {
    ...(name !== undefined && { name: parseDisplayName(name, 'name') }),
    ...(description !== undefined && { description: description.toWellFormed() }),
  };
}
