import { RevisionList } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import { DOWNLOAD_HEADERS } from '../http/page-headers.ts';
import { sendBlob } from '../http/send-blob.ts';
import type { DesignStore } from './design-store.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import { SOURCE_MEDIA_TYPES, toSourceFileType } from './media-types.ts';
import type { RevisionStore } from './revision-store.ts';
import { toRevision } from './serialize.ts';

export type RevisionRouteDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  blobs: BlobStore;
};

const tags = ['designs'];

/** /v1/designs/{id}/revisions, and the source file at /v1/designs/{id}/model. */
export const revisionRoutes: FastifyPluginAsyncTypebox<RevisionRouteDependencies> = async (
  app,
  { designs, revisions, blobs },
) => {
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
        response: { 200: RevisionList },
      },
    },
    async (request) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const summaries = await revisions.list(design.id);
      return { items: summaries.map((summary) => toRevision(summary, design)) };
    },
  );

  app.get(
    '/:id/model',
    {
      config: { auth: 'read', produces: SOURCE_MEDIA_TYPES },
      schema: {
        tags,
        summary: 'Download the source file',
        description:
          'The source file of the revision that embeds show, or of the latest revision while none is ready. Sent as an attachment; supports `Range`.',
        params: DesignIdParams,
        produces: SOURCE_MEDIA_TYPES,
      },
    },
    async (request, reply) => {
      const design = await getAccessibleDesign(designs, request.token, request.params.id);
      const [latest] = await revisions.list(design.id, 1);
      const source = design.revision?.source ?? latest?.revision.source;
      if (source === undefined) throw new Problem('design.unknown', { field: 'path.id' });
      const { extension, mediaType } = toSourceFileType(source.detectedFormat);
      const headers = {
        ...DOWNLOAD_HEADERS,
        'content-type': mediaType,
        'content-disposition': `attachment; filename="${design.id}.${extension}"`,
      };
      return sendBlob(request, reply, {
        blobs,
        ref: source.blob,
        sizeBytes: source.sizeBytes,
        headers,
      });
    },
  );
};
