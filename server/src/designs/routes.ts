import {
  Design,
  DesignList,
  type Revision,
  RevisionList,
  UpdateDesignRequest,
} from '@cloche/contract/design';
import { UUID_PATTERN } from '@cloche/contract/id';
import { ListQuery } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';
import { FORMATS } from '@cloche/pipeline/formats/registry';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import { parseDisplayName } from '../http/display-name.ts';
import { parsePagination, toNextCursor } from '../http/pagination.ts';
import { sendBlob } from '../http/send-blob.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import { assertDesignInScope, type TokenRecord } from '../tokens/token.ts';
import type { DesignRecord, ReadyRevision, SourceFile } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { DesignWatcher } from './design-watcher.ts';
import type { RevisionStore } from './revision-store.ts';

type DesignRouteDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  watcher: DesignWatcher;
  blobs: BlobStore;
  runner: Pick<JobRunner, 'abort'>;
  now: () => Date;
};

const DesignIdParams = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN, description: 'The id of the design: a UUID.' }),
});
const tags = ['designs'];

/** /v1/designs: list, read, change, delete, and the file as it was sent. Making one: create.ts. */
export const designRoutes: FastifyPluginAsyncTypebox<DesignRouteDependencies> = async (
  app,
  given,
) => {
  const { designs, revisions, watcher, blobs, runner, now } = given;

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
      const { user, designs: only } = request.token;
      const page = parsePagination(request.query);
      const items = await designs.list(user, page, only);
      return {
        items: items.map((one) => watcher.toDesign(one)),
        nextCursor: toNextCursor(items, page),
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
      watcher.toDesign(await getOwnedDesign(designs, request.token, request.params.id)),
  );

  app.patch(
    '/:id',
    {
      config: { auth: 'write' },
      schema: {
        tags,
        summary: 'Rename or describe a design, or show another revision of it',
        params: DesignIdParams,
        body: UpdateDesignRequest,
        response: { 200: Design },
      },
    },
    async (request) => {
      const design = await getOwnedDesign(designs, request.token, request.params.id);
      const { revision: number, ...words } = request.body;
      const revision =
        number === undefined ? undefined : await getReadyRevision(revisions, design, number);
      await designs.update({
        ...design,
        ...normalizeTextFields(words),
        ...(revision && { revision }),
        updatedAt: now(),
      });
      return watcher.toDesign(await getOwnedDesign(designs, request.token, design.id));
    },
  );

  app.delete(
    '/:id',
    {
      config: { auth: 'write' },
      schema: {
        tags,
        summary: 'Delete a design',
        description: 'Every embed of it stops at its next request.',
        params: DesignIdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const design = await getOwnedDesign(designs, request.token, request.params.id);
      const pending = await revisions.list(design.id);
      await designs.remove(design.id);
      for (const { upload } of pending) runner.abort(upload.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/:id/revisions',
    {
      config: { auth: 'read' },
      schema: {
        tags,
        summary: 'List the revisions of a design',
        description:
          'The newest first. To roll back: PATCH the design with the number of an older one.',
        params: DesignIdParams,
        response: { 200: RevisionList },
      },
    },
    async (request) => {
      const design = await getOwnedDesign(designs, request.token, request.params.id);
      const all = await revisions.list(design.id);
      return { items: all.map((one) => toRevision(one, design)) };
    },
  );

  app.get(
    '/:id/model',
    {
      config: { auth: 'read', produces: DOWNLOAD_MEDIA_TYPES },
      schema: {
        tags,
        summary: 'The file as it was sent',
        description:
          'The upload behind the revision that is shown, or the last one while there is none. As an attachment; answers `Range`.',
        params: DesignIdParams,
        produces: DOWNLOAD_MEDIA_TYPES,
      },
    },
    async (request, reply) => {
      const design = await getOwnedDesign(designs, request.token, request.params.id);
      const source =
        design.revision?.source ?? (await revisions.list(design.id, 1))[0]?.upload.source;
      if (source === undefined) throw new Problem('design.unknown', { field: 'path.id' });
      const { extension, type } = toDownloadFormat(source.detectedFormat);
      const headers = {
        'content-type': type,
        'content-disposition': `attachment; filename="${design.id}.${extension}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, no-cache',
      };
      return sendBlob(request, reply, {
        blobs,
        ref: source.blob,
        bytes: source.sizeBytes,
        headers,
      });
    },
  );
};

const DOWNLOAD_MEDIA_TYPES = [
  'application/octet-stream',
  ...new Set(Object.values(FORMATS).map(({ type }) => type)),
  'application/zip',
];

function toDownloadFormat({ format, modelPath }: SourceFile['detectedFormat']) {
  return modelPath === undefined ? FORMATS[format] : { extension: 'zip', type: 'application/zip' };
}

/**
 * A design of the caller's.
 * @throws {Problem} design.unknown, also for other people's, and token.design
 */
export async function getOwnedDesign(
  designs: DesignStore,
  caller: TokenRecord,
  id: string,
): Promise<DesignRecord> {
  const design = await designs.find(id);
  if (design === undefined || design.user !== caller.user) {
    throw new Problem('design.unknown', {
      detail: `There is no design ${id} here. GET /v1/designs lists yours.`,
    });
  }
  assertDesignInScope(caller, id);
  return design;
}

/** @throws {Problem} request.invalid */
async function getReadyRevision(
  uploads: RevisionStore,
  { id }: DesignRecord,
  number: number,
): Promise<ReadyRevision> {
  const revision = await uploads.findReady(id, number);
  if (revision !== undefined) return revision;
  throw new Problem('request.invalid', {
    field: 'revision',
    detail: `revision: the design has no revision ${number} that is ready. GET /v1/designs/${id}/revisions lists them.`,
  });
}

function normalizeTextFields({ name, description }: Omit<UpdateDesignRequest, 'revision'>) {
  return {
    ...(name !== undefined && { name: parseDisplayName(name, 'name') }),
    ...(description !== undefined && { description: description.toWellFormed() }),
  };
}

function toRevision(
  { upload, status, createdAt }: Awaited<ReturnType<RevisionStore['list']>>[number],
  design: DesignRecord,
): Revision {
  const { number, source } = upload;
  return {
    number,
    status,
    shown: design.revision?.id === upload.id,
    format: source.detectedFormat.format,
    bytes: source.sizeBytes,
    sha256: source.blob,
    createdAt: createdAt.toISOString(),
  };
}
