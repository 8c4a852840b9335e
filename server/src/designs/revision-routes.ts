import { Revision, RevisionList } from '@cloche/contract/design';
import { ListQuery } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { DiskReserve } from '../disk/disk-reserve.ts';
import { DOWNLOAD_HEADERS } from '../http/page-headers.ts';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import { formatQueryCursor, parseCursorNumber, parseQueryCursor } from '../http/query-cursor.ts';
import { NoContent } from '../http/route-schemas.ts';
import { sendBlob } from '../http/send-blob.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import { deleteBlobsIfUnreferenced } from './delete-unreferenced-blobs.ts';
import type { DesignStore } from './design-store.ts';
import { formatContentDisposition } from './download-name.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import { SOURCE_MEDIA_TYPES, toSourceFileType } from './media-types.ts';
import type { RevisionStore } from './revision-store.ts';
import { toRevision } from './serialize.ts';

export type RevisionRouteDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  blobs: BlobStore;
  runner: Pick<JobRunner, 'abort'>;
  reserve: Pick<DiskReserve, 'isSpaceLow'>;
  now: () => Date;
};

type TypeboxApp = Parameters<FastifyPluginAsyncTypebox>[0];

const tags = ['designs'];

const RevisionParams = Type.Object({
  ...DesignIdParams.properties,
  number: Type.String({
    pattern: '^[1-9][0-9]{0,8}$',
    description: 'The number of the revision.',
  }),
});

/** /v1/designs/{id}/revisions, and the source file at /v1/designs/{id}/model. */
export const revisionRoutes: FastifyPluginAsyncTypebox<RevisionRouteDependencies> = async (
  app,
  dependencies,
) => {
  registerListRoute(app, dependencies);
  registerCancelRoute(app, dependencies);
  registerDeleteRoute(app, dependencies);
  registerDownloadRoute(app, dependencies);
};

function registerListRoute(
  app: TypeboxApp,
  { designs, revisions }: RevisionRouteDependencies,
): void {
  app.get(
    '/:id/revisions',
    {
      config: { auth: 'read' },
      schema: {
        tags,
        summary: 'List the revisions of a design',
        description:
          'Newest first. To roll back, PATCH the design with the number of an older revision.',
        params: DesignIdParams,
        querystring: ListQuery,
        response: { 200: RevisionList },
      },
    },
    async (request) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const { limit = DEFAULT_LIMIT, cursor } = request.query;
      const query = { revisionsOf: design.id };
      const [before] = cursor === undefined ? [] : parseQueryCursor(cursor, query, 1);
      const { items, unreadable, last } = await revisions.list(
        design.id,
        limit,
        before === undefined ? undefined : parseCursorNumber(before),
      );
      return {
        items: items.map((summary) => toRevision(summary, design)),
        unreadable,
        nextCursor: last === undefined ? null : formatQueryCursor(query, [String(last)]),
      };
    },
  );
}

/**
 * On this node, processing stops before the response: afterwards no process and no temporary file is left. Another node that
 * processes the revision stops when it receives the event.
 */
function registerCancelRoute(
  app: TypeboxApp,
  { designs, revisions, runner, now }: RevisionRouteDependencies,
): void {
  app.post(
    '/:id/revisions/:number/cancel',
    {
      config: { auth: 'write', idempotencyKey: false },
      schema: {
        tags,
        summary: 'Cancel the processing of a revision',
        description:
          'For a revision that is queued or being processed. The worker process is stopped before the response is sent. Embeds continue to show the current revision. Cancelling a revision again has no effect.',
        params: RevisionParams,
        response: { 200: Revision },
      },
    },
    async (request) => {
      const { id, number } = request.params;
      const design = await getAccessibleDesign(designs, request.token, id);
      const cancelled = await revisions.cancel(design.id, Number(number), now());
      await runner.abort(cancelled.revision.id);
      return toRevision(cancelled, design);
    },
  );
}

function registerDeleteRoute(
  app: TypeboxApp,
  { designs, revisions, blobs, runner, reserve, now }: RevisionRouteDependencies,
): void {
  app.delete(
    '/:id/revisions/:number',
    {
      config: { auth: 'write' },
      schema: {
        tags,
        summary: 'Delete a revision',
        description:
          'If it is being processed, that is stopped. The revision that embeds show, and the only revision of a design, cannot be deleted. Numbers of deleted revisions are not used again.',
        params: RevisionParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const number = Number(request.params.number);
      const refs = await revisions.listBlobs(design.id, number);
      const removed = await revisions.remove(design.id, number, now());
      await runner.abort(removed.id);
      if (await reserve.isSpaceLow()) await deleteBlobsIfUnreferenced(blobs, revisions, refs);
      return reply.code(204).send(null);
    },
  );
}

function registerDownloadRoute(
  app: TypeboxApp,
  { designs, revisions, blobs }: RevisionRouteDependencies,
): void {
  app.get(
    '/:id/model',
    {
      config: { auth: 'read', produces: SOURCE_MEDIA_TYPES },
      schema: {
        tags,
        summary: 'Download the source file',
        description:
          'The source file of the revision that embeds show, or of the latest revision while none is ready. Sent as an attachment with the name of the uploaded file; supports `Range`.',
        params: DesignIdParams,
        produces: SOURCE_MEDIA_TYPES,
      },
    },
    async (request, reply) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const {
        items: [latest],
      } = await revisions.list(design.id, 1);
      const source = design.revision?.source ?? latest?.revision.source;
      if (source === undefined) throw new Problem('design.unknown', { field: 'path.id' });
      const headers = {
        ...DOWNLOAD_HEADERS,
        'content-type': toSourceFileType(source.detectedFormat).mediaType,
        'content-disposition': formatContentDisposition(source, design.name),
      };
      const { blob: ref, sizeBytes } = source;
      return sendBlob(request, reply, { blobs, ref, sizeBytes, headers });
    },
  );
}
