import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import { sendBlob } from '../http/send-blob.ts';
import { assertMayAccessDesign } from '../tokens/authorize.ts';
import { assertActive } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import type { DesignStore } from './design-store.ts';
import { DesignIdParams } from './get-accessible-design.ts';
import type { PosterLinks } from './poster-links.ts';

export type PosterRouteDependencies = {
  tokens: TokenStore;
  designs: DesignStore;
  blobs: BlobStore;
  posterLinks: PosterLinks;
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

/** GET /v1/designs/{id}/poster?link=…: a poster, for `<img>` and other clients that send no token. */
export const posterRoutes: FastifyPluginAsyncTypebox<PosterRouteDependencies> = async (
  app,
  { tokens, designs, blobs, posterLinks, now },
) => {
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
        querystring: Type.Object(
          { link: Type.Optional(Type.String({ maxLength: 500, description: 'The signature.' })) },
          { additionalProperties: false },
        ),
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
