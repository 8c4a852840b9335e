import { Design } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { sendBlob } from '../http/send-blob.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { JobStore } from '../processing/job-store.ts';
import { assertMayAccessDesign } from '../tokens/authorize.ts';
import { assertActive } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import type { DesignStore } from './design-store.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import type { PosterLinks } from './poster-links.ts';
import { queuePoster } from './queue-poster.ts';
import type { RevisionStore } from './revision-store.ts';

export type PosterRouteDependencies = {
  tokens: TokenStore;
  designs: DesignStore;
  blobs: BlobStore;
  posterLinks: PosterLinks;
  watcher: DesignWatcher;
  database: Database;
  jobs: JobStore;
  revisions: Pick<RevisionStore, 'lockDesign'>;
  maxQueuedJobs: number;
  runner: Pick<JobRunner, 'notify'>;
  now: () => Date;
};

const HEADERS = {
  'content-type': 'image/webp',
  // A link is valid for at least 30 minutes; after that, a browser would load the poster again.
  'cache-control': 'private, max-age=1800',
  // Pages of other origins may show the poster, also those that are cross-origin isolated.
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-robots-tag': 'noindex',
};

const PosterQuery = Type.Object(
  { link: Type.Optional(Type.String({ maxLength: 500, description: 'The signature.' })) },
  { additionalProperties: false },
);

/**
 * GET /v1/designs/{id}/poster?link=…: a poster, for `<img>` and other clients that send no token. POST renders the poster
 * again.
 */
export const posterRoutes: FastifyPluginAsyncTypebox<PosterRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { tokens, designs, blobs, posterLinks, now } = dependencies;
  registerRetakeRoute(app, dependencies);
  app.get(
    '/:id/poster',
    {
      config: { auth: 'public', produces: ['image/webp'] },
      schema: {
        tags: ['designs'],
        summary: 'Get the poster of a design',
        description:
          'The URL with its signature is in `poster` of the design. It works without a token, for 30 to 60 minutes, and until the token that read the design is revoked.',
        params: DesignIdParams,
        querystring: PosterQuery,
        produces: ['image/webp'],
      },
    },
    async (request, reply) => {
      const permission = posterLinks.verify(request.query.link, request.params.id.toLowerCase());
      const { tokenId, designId, revisionId, kind } = permission;
      const token = await tokens.findById(tokenId);
      if (token === undefined) throw new Problem('token.unknown');
      assertActive(token, now());
      assertMayAccessDesign(token, await designs.find(designId), designId);
      const revision = await designs.findReadyRevision(revisionId);
      const poster = revision?.artifacts.find((artifact) => artifact.kind === kind);
      if (poster === undefined) {
        throw new Problem('revision.unknown', {
          detail: 'The revision with this poster was deleted.',
        });
      }
      const { blob: ref, sizeBytes } = poster;
      return sendBlob(request, reply, { blobs, ref, sizeBytes, headers: HEADERS });
    },
  );
};

function registerRetakeRoute(
  app: Parameters<FastifyPluginAsyncTypebox>[0],
  dependencies: PosterRouteDependencies,
): void {
  const { designs, watcher, runner } = dependencies;
  app.post(
    '/:id/poster',
    {
      config: { auth: 'write', idempotencyKey: false },
      schema: {
        tags: ['designs'],
        summary: 'Render the poster of a design again',
        description:
          'Queues a new rendering of the poster of the revision that embeds show, with the options that the design has now. `poster` of the design then has other URLs. While one is queued, a further request has no effect.',
        params: DesignIdParams,
        response: { 202: Design },
      },
    },
    async ({ token, params }, reply) => {
      const design = await getAccessibleDesign(designs, token, params.id);
      await queuePoster(design, dependencies);
      runner.notify();
      return reply.code(202).send(watcher.toDesign(design, token));
    },
  );
}
