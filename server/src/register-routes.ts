import type { FastifyInstance } from 'fastify';
import type { AppDependencies } from './app-dependencies.ts';
import { consoleRoutes } from './console/routes.ts';
import type { Database } from './database/database.ts';
import { PROGRAM_VERSION } from './database/program-version.ts';
import { DesignChanges } from './designs/design-changes.ts';
import type { DesignStore } from './designs/design-store.ts';
import { type DesignEventRouteDependencies, designEventRoutes } from './designs/event-routes.ts';
import { designListEventRoute } from './designs/list-event-route.ts';
import { type PosterRouteDependencies, posterRoutes } from './designs/poster-routes.ts';
import type { UploadDependencies } from './designs/receive-upload.ts';
import { type RevisionRouteDependencies, revisionRoutes } from './designs/revision-routes.ts';
import type { RevisionStore } from './designs/revision-store.ts';
import { type DesignRouteDependencies, designRoutes } from './designs/routes.ts';
import { tagRoutes } from './designs/tag-routes.ts';
import { designUploadRoutes } from './designs/upload-routes.ts';
import { EXAMPLE_SAMPLE_MODEL } from './docs/example-routes.ts';
import { docsRoutes, SAMPLE_MODEL } from './docs/routes.ts';
import { GrantSigner } from './embed/asset-grant.ts';
import { AssetUrls } from './embed/asset-urls.ts';
import type { DocumentLimiter } from './embed/document-limiter.ts';
import { documentRevalidationRoute } from './embed/document-revalidation-route.ts';
import { embedCheckRoute } from './embed/embed-check.ts';
import { FramedDocumentRenderer } from './embed/framed-document.ts';
import { oEmbedRoute } from './embed/oembed-route.ts';
import { PREVIEW_LINK_PURPOSE } from './embed/preview-link.ts';
import { previewRoutes } from './embed/preview-routes.ts';
import { embedRoutes } from './embed/routes.ts';
import { sampleRoute } from './embed/sample-route.ts';
import { shareRoutes } from './embed/share-routes.ts';
import { ticketRoutes } from './embed/ticket-routes.ts';
import type { EmbedUsageStore } from './embed-usage/embed-usage-store.ts';
import { embedUsageRoutes } from './embed-usage/routes.ts';
import type { PublicHost } from './http/public-host.ts';
import type { RateLimiter } from './http/rate-limiter.ts';
import { registerPlugin } from './http/register-plugin.ts';
import type { SessionCookie } from './http/session-cookie.ts';
import { Signer } from './http/signer.ts';
import type { Metrics } from './metrics/metrics.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { type OperatorRouteDependencies, operatorRoutes } from './operator/routes.ts';
import { pageCheckRoutes } from './page-check/routes.ts';
import type { ProgressHub } from './processing/progress.ts';
import { usageRoutes } from './quotas/routes.ts';
import { sdkRoutes } from './sdk/routes.ts';
import type { FailedTokens } from './tokens/failed-tokens.ts';
import { tokenReplacementRoutes } from './tokens/replacement-routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { sessionRoutes } from './tokens/session-routes.ts';
import type { SessionStore } from './tokens/session-store.ts';
import type { TokenStore } from './tokens/token-store.ts';
import { type TusUploadRouteDependencies, tusUploadRoutes } from './uploads/routes.ts';
import type { UserStore } from './users/user-store.ts';

/** What the routes of all modules need. */
export type RouteDependencies = Omit<OperatorRouteDependencies, 'storageKind'> &
  TokenRouteStores &
  DesignRouteDependencies &
  RevisionRouteDependencies &
  PosterRouteDependencies &
  EventRouteDependencies &
  UploadDependencies &
  TusUploadRouteDependencies &
  EmbedDependencies;

/** Registers the routes of all modules, except those for the health of the service. */
export async function registerRoutes(
  app: FastifyInstance,
  appDependencies: AppDependencies,
  dependencies: RouteDependencies,
): Promise<void> {
  const { quotas, database, publicHost } = dependencies;
  await registerOperatorRoutes(app, appDependencies, dependencies);
  await registerPlugin(app, usageRoutes, { prefix: '/v1/usage', quotas });
  await registerTokenRoutes(app, dependencies);
  await registerPlugin(app, tagRoutes, { prefix: '/v1/tags', database });
  const v1Designs = { ...dependencies, prefix: '/v1/designs' };
  await registerPlugin(app, designRoutes, v1Designs);
  await registerPlugin(app, revisionRoutes, v1Designs);
  await registerPlugin(app, posterRoutes, v1Designs);
  await registerEventRoutes(app, v1Designs);
  await registerPlugin(app, designUploadRoutes, v1Designs);
  await registerPlugin(app, tusUploadRoutes, { ...dependencies, prefix: '/v1/uploads' });
  await registerEmbedRoutes(app, appDependencies, dependencies);
  await registerPages(app, appDependencies, publicHost);
}

/** Registers the routes for operators. */
async function registerOperatorRoutes(
  app: FastifyInstance,
  { storageKind = 'folder' }: AppDependencies,
  operated: Omit<OperatorRouteDependencies, 'storageKind'>,
): Promise<void> {
  await registerPlugin(app, nodeRoutes, { prefix: '/v1/nodes', listNodes: operated.listNodes });
  await registerPlugin(app, operatorRoutes, { prefix: '/v1', ...operated, storageKind });
}

type TokenRouteStores = Pick<
  EmbedDependencies,
  'tokens' | 'designs' | 'users' | 'embedUsage' | 'publicHost'
> & {
  sessions: SessionStore;
  cookie: SessionCookie;
  database: Database;
  now: () => Date;
};

/** Registers /v1/tokens and /v1/sessions. */
async function registerTokenRoutes(
  app: FastifyInstance,
  { users, designs, embedUsage, sessions, cookie, publicHost, ...others }: TokenRouteStores,
): Promise<void> {
  const v1Tokens = { prefix: '/v1/tokens', ...others };
  await registerPlugin(app, tokenRoutes, { ...v1Tokens, users });
  await registerPlugin(app, tokenReplacementRoutes, v1Tokens);
  await registerPlugin(app, embedUsageRoutes, { ...v1Tokens, embedUsage });
  await registerPlugin(app, embedCheckRoute, { ...v1Tokens, prefix: '/v1/tokens/check', designs });
  const session = { sessions, cookie, publicHost };
  await registerPlugin(app, sessionRoutes, { prefix: '/v1/sessions', ...others, ...session });
}

type EventRouteDependencies = DesignEventRouteDependencies & { progress: ProgressHub };

/** Registers the event streams of one design and of all designs. */
async function registerEventRoutes(
  app: FastifyInstance,
  { progress, ...streams }: EventRouteDependencies & { prefix: string },
): Promise<void> {
  await registerPlugin(app, designEventRoutes, streams);
  const changes = new DesignChanges(streams.designs, progress);
  await registerPlugin(app, designListEventRoute, { ...streams, changes });
}

/** Registers the console, the scripts of the SDK and the documentation. */
async function registerPages(
  app: FastifyInstance,
  { console, sdk }: AppDependencies,
  publicHost: PublicHost,
): Promise<void> {
  await registerPlugin(app, consoleRoutes, { build: console, publicHost });
  await registerPlugin(app, sdkRoutes, { prefix: '/sdk/v1', build: sdk });
  const { docsScripts: scripts, reactModule } = console;
  await registerPlugin(app, docsRoutes, { publicHost, scripts, reactModule });
}

type EmbedDependencies = Pick<AppDependencies, 'blobs'> & {
  tokens: TokenStore;
  designs: DesignStore;
  revisions: RevisionStore;
  users: UserStore;
  embedUsage: EmbedUsageStore;
  documentLimiter: DocumentLimiter;
  pageCheckLimiter: RateLimiter;
  failedTokens: FailedTokens;
  publicHost: PublicHost;
  progress: ProgressHub;
  metrics: Pick<Metrics, 'addCaches'>;
  now: () => Date;
};

/** Registers what embeds and links to designs request, and the check of pages with embeds. */
async function registerEmbedRoutes(
  app: FastifyInstance,
  { viewer, grantKey, cdn, pageFetching }: AppDependencies,
  { blobs, pageCheckLimiter, metrics, progress, ...others }: EmbedDependencies,
): Promise<void> {
  const { designs, users, publicHost } = others;
  const fetching = pageFetching ?? { allowedAddresses: [] };
  const pageChecks = { ...others, fetching, limiter: pageCheckLimiter };
  await registerPlugin(app, pageCheckRoutes, { prefix: '/v1/page-checks', ...pageChecks });
  const grantSigner = new GrantSigner(grantKey);
  const assetUrls = new AssetUrls(publicHost.origin, grantKey, cdn);
  const documents = new FramedDocumentRenderer({
    ...{ viewer, grantSigner, blobs, assetUrls, programVersion: PROGRAM_VERSION },
  });
  for (const { caches } of [grantSigner, documents]) metrics.addCaches(caches);
  const embed = { ...others, documents, viewer };
  const findProgress = progress.findProgress.bind(progress);
  const assets = { blobs, grantSigner, assetUrls, findProgress };
  await registerPlugin(app, embedRoutes, { prefix: '/embed', ...embed, ...assets });
  await registerPlugin(app, documentRevalidationRoute, { prefix: '/embed', ...embed, grantSigner });
  const { tickets } = assetUrls;
  if (tickets !== undefined)
    await registerPlugin(app, ticketRoutes, { prefix: '/embed/tickets', tickets, now: others.now });
  const previewSigner = new Signer(grantKey, PREVIEW_LINK_PURPOSE);
  await registerPlugin(app, previewRoutes, { ...embed, signer: previewSigner });
  await registerPlugin(app, shareRoutes, { ...embed, blobs });
  await registerPlugin(app, oEmbedRoute, { prefix: '/oembed', designs, users, publicHost });
  await registerPlugin(app, sampleRoute, {
    prefix: '/embed/sample/v1',
    documents,
    model: SAMPLE_MODEL,
  });
  const exampleSample = { documents, model: EXAMPLE_SAMPLE_MODEL };
  await registerPlugin(app, sampleRoute, { prefix: '/embed/sample/v1/examples', ...exampleSample });
}
