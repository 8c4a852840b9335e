import type { NodeRole } from '@cloche/contract/node';
import type { FastifyInstance } from 'fastify';
import type { BlobStore } from './blobs/blob-store.ts';
import type { ConsoleBuild } from './console/console-build.ts';
import { consoleRoutes } from './console/routes.ts';
import type { Database } from './database/database.ts';
import { isPostgres } from './database/locks.ts';
import { DesignStore } from './designs/design-store.ts';
import { DesignWatcher } from './designs/design-watcher.ts';
import { designEventRoutes } from './designs/event-routes.ts';
import type { IngestDependencies } from './designs/ingest.ts';
import { POSTER_LINK_PURPOSE, PosterLinks } from './designs/poster-links.ts';
import { posterRoutes } from './designs/poster-routes.ts';
import { revisionRoutes } from './designs/revision-routes.ts';
import { RevisionStore } from './designs/revision-store.ts';
import { designRoutes } from './designs/routes.ts';
import { designUploadRoutes } from './designs/upload-routes.ts';
import type { Reserve } from './disk/disk-reserve.ts';
import { EXAMPLE_SAMPLE_MODEL } from './docs/example-routes.ts';
import { registerOpenApi } from './docs/openapi.ts';
import { docsRoutes, SAMPLE_MODEL } from './docs/routes.ts';
import { GrantSigner } from './embed/asset-grant.ts';
import { DocumentLimiter } from './embed/document-limiter.ts';
import { embedCheckRoute } from './embed/embed-check.ts';
import { FramedDocumentRenderer } from './embed/framed-document.ts';
import { oEmbedRoute } from './embed/oembed-route.ts';
import { PREVIEW_LINK_PURPOSE } from './embed/preview-link.ts';
import { previewRoutes } from './embed/preview-routes.ts';
import { embedRoutes } from './embed/routes.ts';
import { sampleRoute } from './embed/sample-route.ts';
import { shareRoutes } from './embed/share-routes.ts';
import type { ViewerBuild } from './embed/viewer-build.ts';
import type { EventSource } from './events/event.ts';
import { registerBodyEncodingCheck } from './http/body-encoding.ts';
import { BodyMonitor } from './http/body-monitor.ts';
import { type AddressRange, ClientAddresses } from './http/client-address.ts';
import { ConcurrencyLimiter } from './http/concurrency-limiter.ts';
import { registerConnectionLimits } from './http/connection-limits.ts';
import { ConnectionResponses } from './http/connection-responses.ts';
import { registerContentNegotiation } from './http/content-negotiation.ts';
import { registerCors } from './http/cors.ts';
import { createFastify } from './http/create-fastify.ts';
import { registerConnectionDrain } from './http/graceful-shutdown.ts';
import { healthRoutes } from './http/health.ts';
import { registerHostCheck } from './http/host-check.ts';
import { IdempotencyStore } from './http/idempotency-store.ts';
import { registerJsonParser } from './http/json-body.ts';
import { type ClientLimits, DEFAULT_CLIENT_LIMITS } from './http/limits.ts';
import { createSilentLogger, type Logger } from './http/logger.ts';
import { registerNotFoundHandler } from './http/not-found-handler.ts';
import { PublicHost } from './http/public-host.ts';
import { RateLimiter } from './http/rate-limiter.ts';
import { registerIdempotency } from './http/request-idempotency.ts';
import { registerReserveForDeletion } from './http/reserve-for-deletion.ts';
import { Signer } from './http/signer.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './http/timeouts.ts';
import { createValidatorCompiler } from './http/validator-compiler.ts';
import type { Metrics } from './metrics/metrics.ts';
import { recordRequests } from './metrics/record-requests.ts';
import type { NodeRecord } from './nodes/node.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { JobRunner } from './processing/job-runner.ts';
import { JobStore } from './processing/job-store.ts';
import { createJobHandler, type JobHandlerDependencies } from './processing/process-revision.ts';
import type { ProcessingEnvironment } from './processing/processing-environment.ts';
import { ProgressHub } from './processing/progress.ts';
import { ProgressSender } from './processing/progress-sender.ts';
import { NO_QUOTAS, type QuotaLimits } from './quotas/quota.ts';
import { Quotas } from './quotas/quotas.ts';
import { usageRoutes } from './quotas/routes.ts';
import { sdkRoutes } from './sdk/routes.ts';
import type { SdkBuild } from './sdk/sdk-build.ts';
import { handleEvents } from './startup/handle-events.ts';
import { invalidateCachesOnChange } from './startup/invalidate-caches.ts';
import { scheduleMaintenance } from './startup/maintenance.ts';
import { registerAuthentication } from './tokens/authenticate.ts';
import { FailedTokens } from './tokens/failed-tokens.ts';
import { parseListedOrigin } from './tokens/origins.ts';
import { tokenReplacementRoutes } from './tokens/replacement-routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { SESSION_PURPOSE } from './tokens/session.ts';
import { sessionRoutes } from './tokens/session-routes.ts';
import { TokenMonitor } from './tokens/token-monitor.ts';
import { TokenStore } from './tokens/token-store.ts';
import { tusUploadRoutes } from './uploads/routes.ts';
import type { TusUploadStore } from './uploads/tus-upload-store.ts';
import { UserStore } from './users/user-store.ts';

/** The dependencies of the app. `serve.ts` opens them for the service, `server/testing/harness.ts` for tests. */
export type AppDependencies = {
  database: Database;
  reserve: Reserve;
  blobs: BlobStore;
  tusUploads: TusUploadStore;
  viewer: ViewerBuild;
  console: ConsoleBuild;
  sdk: SdkBuild;
  /** The public origin of the service. */
  publicUrl: string;
  /** Earlier public origins. */
  formerOrigins?: readonly string[];
  /** The key that signs asset grants. */
  grantKey: Buffer;
  maxUploadBytes: number;
  /** Default: none. */
  trustedProxies?: readonly AddressRange[];
  limits?: Partial<ClientLimits>;
  /** The quotas of users without quotas of their own. Default: none. */
  quotas?: QuotaLimits;
  processing: ProcessingEnvironment;
  now?: () => Date;
  /** The clock of the leases of jobs. Default: `now`. */
  leaseTime?: () => Promise<Date>;
  /** The id of this process among those that use the database. Default: `node`, if there is only one. */
  nodeId?: string;
  /** With PostgreSQL, the events of all processes. Without them, nothing is cached. */
  events?: EventSource | undefined;
  /** Default: all. */
  role?: NodeRole;
  /** Lists the nodes that use the database. Default: none. */
  listNodes?: (() => Promise<NodeRecord[]>) | undefined;
  /** Default: nothing is logged. */
  log?: Logger;
  /** Default: nothing is counted. */
  metrics?: Metrics | undefined;
  timeouts?: Partial<Timeouts>;
};

/** Compiles each schema once, also for several apps. */
const compileValidator = createValidatorCompiler({ origin: parseListedOrigin });

/** Slow mobile networks have ten times as much. */
const MIN_UPLOAD_BYTES_PER_SECOND = 1024;

/** The Fastify instance with all routes. */
export type App = Awaited<ReturnType<typeof buildApp>>;

/** Builds the app: creates the stores, and passes each module what it needs. */
export async function buildApp(dependencies: AppDependencies) {
  const { database, reserve, blobs, tusUploads, maxUploadBytes, processing } = dependencies;
  const { now = () => new Date(), log = createSilentLogger() } = dependencies;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...dependencies.timeouts };
  const publicHost = new PublicHost(dependencies.publicUrl, dependencies.formerOrigins);
  const { nodeId = 'node' } = dependencies;
  const { isCacheUsable, progress, progressSender } = openSharedState(dependencies, nodeId);
  const tokens = new TokenStore(database, isCacheUsable);
  const users = new UserStore(database);
  const designs = new DesignStore(database, (id) => progress.notify(id), isCacheUsable);
  const revisions = new RevisionStore(database, designs);
  const jobs = new JobStore(database, nodeId);
  const posterLinks = new PosterLinks({
    signer: new Signer(dependencies.grantKey, POSTER_LINK_PURPOSE),
    publicOrigin: publicHost.origin,
    now,
  });
  const watcher = new DesignWatcher(designs, progress, posterLinks);
  const idempotency = new IdempotencyStore(database);
  const sessionSigner = new Signer(dependencies.grantKey, SESSION_PURPOSE);

  const app = createFastify(log, timeouts, compileValidator);
  const clientLimits = createClientLimits(dependencies);
  const responses = new ConnectionResponses(app.server);
  registerConnectionLimits(app, { ...clientLimits, responses, log });
  registerConnectionDrain(app, responses, timeouts.connectionDrainMs);
  if (dependencies.metrics !== undefined) recordRequests(app, dependencies.metrics);
  registerCors(app);
  registerHostCheck(app, publicHost);
  registerNotFoundHandler(app);
  registerContentNegotiation(app);
  registerBodyEncodingCheck(app);
  registerAuthentication(app, { tokens, sessionSigner, publicHost, ...clientLimits, now });
  registerIdempotency(app, { idempotency, now });
  const monitors = { ...openMonitors(app, { timeouts, tokens, log, now }), ...clientLimits };
  const { bodyMonitor, tokenMonitor } = monitors;
  registerJsonParser(app, { bodyMonitor, timeoutMs: timeouts.jsonBodyMs });
  registerReserveForDeletion(app, { reserve, database });
  if (!isPostgres(database)) invalidateCachesOnChange(app, { database, tokens, designs, log });
  scheduleMaintenance(app, { database, tokens, revisions, idempotency, blobs, reserve, log, now });

  const { validationWorker, maxQueuedJobs } = processing;
  const stores = { tokens, designs, users, blobs };
  const runner = createJobRunner(app, dependencies, { revisions, jobs, progress, log, now });
  app.addHook('onClose', () => progressSender?.close());
  if (dependencies.events !== undefined)
    handleEvents(dependencies.events, { node: nodeId, tokens, designs, progress, runner });

  const quotas = createQuotas(dependencies, now);
  const ingest: IngestDependencies = {
    quotas,
    designs,
    revisions,
    jobs,
    blobs,
    database,
    runner,
    maxUploadBytes,
    maxQueuedJobs,
    validationWorker,
    now,
  };
  const v1Designs = { prefix: '/v1/designs', designs, watcher };
  await registerOpenApi(app, publicHost.origin);
  const { events, role, listNodes = async () => [] } = dependencies;
  healthRoutes(app, { database, sandbox: processing.sandbox, events });
  if (role === 'worker') return finish(app);
  await app.register(nodeRoutes, { prefix: '/v1/nodes', listNodes });
  await app.register(usageRoutes, { prefix: '/v1/usage', quotas });
  const v1Tokens = { prefix: '/v1/tokens', tokens, database, now };
  await app.register(tokenRoutes, { ...v1Tokens, users });
  await app.register(tokenReplacementRoutes, v1Tokens);
  await app.register(sessionRoutes, { prefix: '/v1/sessions', sessionSigner, now });
  await app.register(embedCheckRoute, { prefix: '/v1/tokens/check', tokens, designs, now });
  const changes = { revisions, blobs, reserve, runner, now };
  await app.register(designRoutes, { ...v1Designs, ...changes, jobs });
  await app.register(revisionRoutes, { ...v1Designs, ...changes });
  await app.register(posterRoutes, { ...v1Designs, tokens, blobs, posterLinks, now });
  await app.register(designEventRoutes, { ...v1Designs, tokens, tokenMonitor, now });
  await app.register(designUploadRoutes, { ...v1Designs, ...ingest, ...monitors });
  const uploads = { tusUploads, idempotency, publicHost, log, ...timeouts, ...monitors };
  await app.register(tusUploadRoutes, { prefix: '/v1/uploads', ...ingest, ...uploads });
  await registerEmbedRoutes(app, dependencies, { ...stores, ...clientLimits, publicHost, now });
  await registerPages(app, dependencies, publicHost);
  return finish(app);
}

/** Registers the owner's page, the scripts of the SDK and the documentation. */
async function registerPages(
  app: FastifyInstance,
  { console, sdk }: AppDependencies,
  publicHost: PublicHost,
): Promise<void> {
  await app.register(consoleRoutes, { build: console, publicHost });
  await app.register(sdkRoutes, { prefix: '/sdk/v1', build: sdk });
  const { docsScripts: scripts, reactModule } = console;
  await app.register(docsRoutes, { publicHost, scripts, reactModule });
}

async function finish(app: FastifyInstance) {
  await app.ready();
  return app;
}

type JobDependencies = Pick<JobHandlerDependencies, 'revisions' | 'jobs' | 'progress' | 'now'> & {
  log: Logger;
};

/** Creates the runner of jobs. It runs while the app does. */
function createJobRunner(
  app: FastifyInstance,
  { processing, blobs, database, leaseTime, role }: AppDependencies,
  { jobs, log, now, ...others }: JobDependencies,
): JobRunner {
  const handler = createJobHandler({ ...processing, ...others, jobs, blobs, database, log, now });
  const { concurrency, retryDelayMs } = processing;
  const options = { jobs, handler, concurrency, retryDelayMs };
  const runner = new JobRunner({ ...options, now: leaseTime ?? now, log });
  if (role !== 'web') app.addHook('onReady', async () => runner.start());
  app.addHook('preClose', () => runner.stop());
  return runner;
}

/** What depends on the events of other nodes. */
function openSharedState({ database, events }: AppDependencies, nodeId: string) {
  // With SQLite, there is only this node.
  if (!isPostgres(database)) return { isCacheUsable: () => true, progress: new ProgressHub() };
  const progressSender = new ProgressSender(database, nodeId);
  return {
    isCacheUsable: () => events?.isCurrent() ?? false,
    progress: new ProgressHub((id, progress) => progressSender.send(id, progress)),
    progressSender,
  };
}

function createQuotas(
  { database, quotas: limits = NO_QUOTAS, tusUploads, maxUploadBytes }: AppDependencies,
  now: () => Date,
): Quotas {
  const sumPending = (user: string) => tusUploads.sumPending(user, maxUploadBytes, now());
  return new Quotas({ database, limits, pendingUploads: { sumPending } });
}

/** The limits of clients, on this node. */
function createClientLimits({ trustedProxies = [], limits: changed }: AppDependencies) {
  const limits: ClientLimits = { ...DEFAULT_CLIENT_LIMITS, ...changed };
  const addresses = new ClientAddresses(trustedProxies);
  const createLimiter = (perMinute: number, what: string) => new RateLimiter({ perMinute, what });
  const documents = createLimiter(limits.documentsPerMinute, 'embeds on pages of one network');
  const failures = createLimiter(limits.failedTokensPerMinute, 'tokens that do not exist');
  return {
    limits,
    addresses,
    requestLimiter: createLimiter(limits.requestsPerMinute, 'requests of a token'),
    documentLimiter: new DocumentLimiter(documents, addresses),
    failedTokens: new FailedTokens({ addresses, limiter: failures }),
    uploadLimiter: new ConcurrencyLimiter(limits.uploadsPerToken),
  };
}

type EmbedDependencies = Pick<AppDependencies, 'blobs'> & {
  tokens: TokenStore;
  designs: DesignStore;
  users: UserStore;
  documentLimiter: DocumentLimiter;
  failedTokens: FailedTokens;
  publicHost: PublicHost;
  now: () => Date;
};

/** Registers what embeds and links to designs request. */
async function registerEmbedRoutes(
  app: FastifyInstance,
  { viewer, grantKey }: AppDependencies,
  { blobs, ...others }: EmbedDependencies,
): Promise<void> {
  const { designs, users, publicHost } = others;
  const grantSigner = new GrantSigner(grantKey);
  const documents = new FramedDocumentRenderer(viewer, grantSigner, blobs);
  const embed = { ...others, documents, viewer };
  await app.register(embedRoutes, { prefix: '/embed', ...embed, blobs, grantSigner });
  const previewSigner = new Signer(grantKey, PREVIEW_LINK_PURPOSE);
  await app.register(previewRoutes, { ...embed, signer: previewSigner });
  await app.register(shareRoutes, { ...embed, blobs });
  await app.register(oEmbedRoute, { prefix: '/oembed', designs, users, publicHost });
  await app.register(sampleRoute, { prefix: '/embed/sample/v1', documents, model: SAMPLE_MODEL });
  const exampleSample = { documents, model: EXAMPLE_SAMPLE_MODEL };
  await app.register(sampleRoute, { prefix: '/embed/sample/v1/examples', ...exampleSample });
}

/** Opens the monitors that end long requests. They are closed with the app. */
function openMonitors(
  app: FastifyInstance,
  {
    timeouts,
    tokens,
    log,
    now,
  }: { timeouts: Timeouts; tokens: TokenStore; log: Logger; now: () => Date },
) {
  const { jsonBodyMs, uploadStallMs: stallMs } = timeouts;
  const bodyMonitor = new BodyMonitor(Math.min(jsonBodyMs, stallMs));
  const tokenMonitor = new TokenMonitor({ tokens, now, log });
  app.addHook('onClose', async () => {
    bodyMonitor[Symbol.dispose]();
    tokenMonitor[Symbol.dispose]();
  });
  const uploadBodyLimits = { stallMs, minBytesPerSecond: MIN_UPLOAD_BYTES_PER_SECOND };
  return { bodyMonitor, tokenMonitor, uploadBodyLimits };
}
