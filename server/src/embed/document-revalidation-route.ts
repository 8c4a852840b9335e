import type { DocumentRevalidation } from '@cloche/contract/viewer-config';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { EmbedUsageStore } from '../embed-usage/embed-usage-store.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { FailedTokens } from '../tokens/failed-tokens.ts';
import { createGrantError, type GrantSigner } from './asset-grant.ts';
import { verifyGrant } from './authorize-asset.ts';
import {
  type AuthorizedView,
  authorizeView,
  type EmbedStores,
  toEmbedUse,
} from './authorize-view.ts';
import type { DocumentLimiter } from './document-limiter.ts';
import { parseDocumentRequest, readTokenString } from './document-request.ts';
import type { FramedDocumentRenderer } from './framed-document.ts';

type RevalidationDependencies = EmbedStores & {
  documents: FramedDocumentRenderer;
  grantSigner: GrantSigner;
  publicHost: PublicHost;
  documentLimiter: DocumentLimiter;
  failedTokens: FailedTokens;
  embedUsage: EmbedUsageStore;
  now: () => Date;
};

const PARAMS = Type.Object({ designId: Type.String(), documentVersion: Type.String() });

/**
 * Whether a framed document from a browser's cache may be shown: it must be the one that the service would send now, but for its grant. The
 * response has a new one. A document that has changed is refused like one that is not allowed: the viewer then requests it.
 */
export const documentRevalidationRoute: FastifyPluginAsyncTypebox<
  RevalidationDependencies
> = async (app, options) => {
  const { documents, documentLimiter, embedUsage, tokens, now } = options;

  app.get(
    '/iframe/v1/:designId/:documentVersion',
    {
      config: { auth: 'public', formerHosts: true },
      exposeHeadRoute: false,
      schema: {
        tags: ['embed'],
        hide: true,
        params: PARAMS,
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const time = now();
      const view = await authorizeCachedView(request, options, time).catch((error) =>
        options.failedTokens.fail(error, request, reply),
      );
      const requested = parseDocumentRequest(request, 'token');
      const grant = documents.renewGrant(view, requested, request.params.documentVersion, time);
      if (grant === undefined) throw createGrantError('outdated', 'The document has changed.');
      documentLimiter.limitDocument(view.grantee.id, request, reply);
      tokens.usage.recordUse(view.grantee.id, time, view.pageOrigin);
      embedUsage.recordView(toEmbedUse(view), time);
      return reply.send({ grant } satisfies DocumentRevalidation);
    },
  );
};

/**
 * The gate, for a document from the cache. The document sends the request itself, so its headers do not name the page around it. The grant
 * names that page: the gate has allowed the document for it. The browser uses a cached document for the same page only, and applies its
 * `frame-ancestors`.
 *
 * @throws {Problem} as authorizeView; embed.cross-site, embed.grant
 */
async function authorizeCachedView(
  request: FastifyRequest,
  dependencies: RevalidationDependencies,
  now: Date,
): Promise<AuthorizedView> {
  const grant = verifyGrant(request.headers, dependencies, now);
  const { designId } = request.params as { designId: string };
  const { pageOrigin } = grant;
  // Without a page in the grant, the gate has no evidence.
  const context = pageOrigin ? { secFetchDest: 'iframe', referer: `${pageOrigin}/` } : {};
  const requested = { tokenString: readTokenString(request), designId, context };
  const view = await authorizeView(requested, dependencies, now);
  const isForView =
    grant.granteeId === view.grantee.id &&
    grant.designId === view.design.id &&
    grant.scopeVersion === view.grantee.scopeVersion;
  if (!isForView) throw createGrantError('outdated', 'The grant is for another document.');
  return view;
}
