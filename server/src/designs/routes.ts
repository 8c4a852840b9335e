import { Design, DesignList, DesignQuery, UpdateDesignRequest } from '@cloche/contract/design';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Transaction } from '../database/database.ts';
import type { Reserve } from '../disk/disk-reserve.ts';
import { assertResponse } from '../http/assert-response.ts';
import { parseIfMatch, toEtag } from '../http/if-match.ts';
import { NoContent } from '../http/route-schemas.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { JobStore } from '../processing/job-store.ts';
import { assertMayAccessDesign, assertMayShareDesign } from '../tokens/authorize.ts';
import { deleteBlobsIfUnreferenced } from './delete-unreferenced-blobs.ts';
import type { DesignRecord } from './design.ts';
import { normalizeDesignFields } from './design-fields.ts';
import type { DesignStore } from './design-store.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import { getReadyRevision } from './get-ready-revision.ts';
import { queueOutdatedPoster } from './queue-poster.ts';
import type { RevisionStore } from './revision-store.ts';
import { toDesign } from './serialize.ts';

export type DesignRouteDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  watcher: DesignWatcher;
  blobs: BlobStore;
  reserve: Reserve;
  jobs: JobStore;
  maxQueuedJobs: number;
  runner: Pick<JobRunner, 'abort' | 'notify'>;
  now: () => Date;
};

type TypeboxApp = Parameters<FastifyPluginAsyncTypebox>[0];

const tags = ['designs'];

/** /v1/designs: list, read, update and delete designs. */
export const designRoutes: FastifyPluginAsyncTypebox<DesignRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { designs, revisions, watcher, blobs, reserve, runner } = dependencies;
  app.get(
    '/',
    {
      config: { auth: 'read' },
      schema: {
        tags,
        summary: 'List designs',
        description: 'Newest first by default. A cursor is valid for the query that returned it.',
        querystring: DesignQuery,
        response: { 200: DesignList },
      },
    },
    async (request) => {
      const { user, designs: onlyIds } = request.token;
      const query = normalizeQuery(request.query);
      const { items, ...page } = await designs.list({ ...query, user, onlyIds });
      return { items: items.map((design) => watcher.toDesign(design, request.token)), ...page };
    },
  );

  app.get(
    '/:id',
    {
      config: { auth: 'read' },
      schema: { tags, summary: 'Read a design', params: DesignIdParams, response: { 200: Design } },
    },
    async (request, reply) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      reply.header('etag', toEtag(design.version));
      return watcher.toDesign(design, request.token);
    },
  );

  registerUpdateRoute(app, dependencies);

  app.delete(
    '/:id',
    {
      config: { auth: 'write', ifMatch: true },
      schema: {
        tags,
        summary: 'Delete a design',
        description:
          'Its embeds stop working at their next request. If the disk is almost full, its files are deleted at once, else within a day or two.',
        params: DesignIdParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const ifMatch = parseIfMatch(request);
      // Not the whole design: a damaged one can be deleted too.
      const id = request.params.id.toLowerCase();
      const design = await designs.findOwner(id);
      assertMayAccessDesign(request.token, design, id);
      const refs = await revisions.listBlobs(design.id);
      const ids = await designs.remove(design.id, ifMatch);
      // Also for a revision that is ready: its job may not have ended yet, and keeps its files until then.
      await Promise.all(ids.map((id) => runner.abort(id)));
      if (await reserve.isSpaceLow()) await deleteBlobsIfUnreferenced(blobs, revisions, refs);
      return reply.code(204).send(null);
    },
  );
};

function registerUpdateRoute(app: TypeboxApp, dependencies: DesignRouteDependencies): void {
  const { designs, revisions, jobs, watcher, runner, now } = dependencies;
  app.patch(
    '/:id',
    {
      config: { auth: 'write', ifMatch: true },
      schema: {
        tags,
        summary: 'Update a design',
        description:
          'Changes the fields in the body. `tags`, `metadata` and `viewer` are replaced as a whole. With `revision`, embeds show that revision; to roll back, pass the number of an older one. It is shown until you upload another model, also if one is being processed at the moment.',
        params: DesignIdParams,
        body: UpdateDesignRequest,
        response: { 200: Design },
      },
    },
    async (request, reply) => {
      const ifMatch = parseIfMatch(request);
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const { revision: number, externalId, viewer, ...others } = request.body;
      const { maxTriangles, maxTextureSize, ...rest } = others;
      if (rest.shared === true) assertMayShareDesign(request.token);
      const revision =
        number === undefined ? undefined : await getReadyRevision(revisions, design.id, number);
      const fields = {
        ...normalizeDesignFields({
          ...rest,
          ...(externalId != null && { externalId }),
          ...(maxTriangles != null && { maxTriangles }),
          ...(maxTextureSize != null && { maxTextureSize }),
          ...(viewer !== undefined && { viewer: viewer ?? {} }),
        }),
        ...(externalId === null && { externalId: undefined }),
        ...(maxTriangles === null && { maxTriangles: undefined }),
        ...(maxTextureSize === null && { maxTextureSize: undefined }),
      };
      // A full queue refuses other options. It must not refuse, for example, the return to an older revision.
      const isLimited = viewer !== undefined;
      const begin = isLimited ? (trx: Transaction) => jobs.lockQueue(trx) : undefined;
      const complete = async (updated: DesignRecord, trx: Transaction) => {
        assertResponse(Design, toDesign(updated));
        await queueOutdatedPoster(design, dependencies, { isLimited, trx });
      };
      await designs.update(
        design,
        { ...fields, revision },
        { now: now(), ifMatch, begin, complete },
      );
      runner.notify();
      const updated = await getAccessibleDesign(designs, request.token, design.id);
      reply.header('etag', toEtag(updated.version));
      return watcher.toDesign(updated, request.token);
    },
  );
}

/** Normalizes filters like the values that they are compared with. */
function normalizeQuery({ tag, externalId, ...query }: DesignQuery): DesignQuery {
  return {
    ...query,
    ...(tag !== undefined && { tag: tag.normalize('NFC').trim() }),
    ...(externalId !== undefined && { externalId: externalId.normalize('NFC').trim() }),
  };
}
