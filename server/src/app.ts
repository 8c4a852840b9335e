import type { FastifyInstance } from 'fastify';
import type { AppDependencies } from './app-dependencies.ts';
import { isPostgres } from './database/locks.ts';
import { DesignStore } from './designs/design-store.ts';
import { DesignWatcher } from './designs/design-watcher.ts';
import { POSTER_LINK_PURPOSE, PosterLinks } from './designs/poster-links.ts';
import { RevisionStore } from './designs/revision-store.ts';
import { registerOpenApi } from './docs/openapi.ts';
import { DocumentLimiter } from './embed/document-limiter.ts';
import { EmbedUsageStore } from './embed-usage/embed-usage-store.ts';
import { scheduleUsageTasks } from './embed-usage/schedule-usage-tasks.ts';
import { registerBodyEncodingCheck } from './http/body-encoding.ts';
import { BodyMonitor } from './http/body-monitor.ts';
import { ClientAddresses } from './http/client-address.ts';
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
import { LogLevelSetting } from './http/log-level-setting.ts';
import { createSilentLogger, type Logger } from './http/logger.ts';
import { registerNotFoundHandler } from './http/not-found-handler.ts';
import { PublicHost } from './http/public-host.ts';
import { RateLimiter } from './http/rate-limiter.ts';
import { registerIdempotency } from './http/request-idempotency.ts';
import { registerReserveForDeletion } from './http/reserve-for-deletion.ts';
import { createSerializerCompiler } from './http/serializer-compiler.ts';
import { SessionCookie } from './http/session-cookie.ts';
import { Signer } from './http/signer.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './http/timeouts.ts';
import { createValidatorCompiler } from './http/validator-compiler.ts';
import { combineMetrics } from './metrics/combine-metrics.ts';
import type { Metrics } from './metrics/metrics.ts';
import { MinuteCounters } from './metrics/minute-counters.ts';
import { recordRequests } from './metrics/record-requests.ts';
import { recordSamples } from './operator/record-samples.ts';
import { JobRunner } from './processing/job-runner.ts';
import { JobStore } from './processing/job-store.ts';
import { createJobHandler, type JobHandlerDependencies } from './processing/process-revision.ts';
import { ProgressHub } from './processing/progress.ts';
import { ProgressSender } from './processing/progress-sender.ts';
import { NO_QUOTAS } from './quotas/quota.ts';
import { type PendingUploads, Quotas } from './quotas/quotas.ts';
import { ReservationStore } from './quotas/reservation-store.ts';
import { registerRoutes } from './register-routes.ts';
import { handleEvents } from './startup/handle-events.ts';
import { invalidateCachesOnChange } from './startup/invalidate-caches.ts';
import { scheduleMaintenance } from './startup/maintenance.ts';
import { registerAuthentication } from './tokens/authenticate.ts';
import { FailedTokens } from './tokens/failed-tokens.ts';
import { parseListedOrigin } from './tokens/origins.ts';
import { SessionStore } from './tokens/session-store.ts';
import { TokenMonitor } from './tokens/token-monitor.ts';
import { TokenStore } from './tokens/token-store.ts';
import { TusUploadStore } from './uploads/tus-upload-store.ts';
import { UploadLeases } from './uploads/upload-leases.ts';
import { UploadLocker } from './uploads/upload-locker.ts';
import { UserStore } from './users/user-store.ts';

/** They compile each schema once, also for several apps. */
const compilers = {
  compileValidator: createValidatorCompiler({ origin: parseListedOrigin }),
  compileSerializer: createSerializerCompiler(),
};

/** Slow mobile networks have ten times as much. */
const MIN_UPLOAD_BYTES_PER_SECOND = 1024;

/** The Fastify instance with all routes. */
export type App = Awaited<ReturnType<typeof buildApp>>;

/** Builds the app: creates the stores, and passes each module what it needs. */
export async function buildApp(dependencies: AppDependencies) {
  const { database, reserve, blobs, maxUploadBytes, processing } = dependencies;
  const { now = () => new Date(), log = createSilentLogger(), nodeId = 'node' } = dependencies;
  const { leaseTime = async () => now() } = dependencies;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...dependencies.timeouts };
  const publicHost = new PublicHost(dependencies.publicUrl, dependencies.formerOrigins);
  const { isCacheUsable, progress, progressSender } = openSharedState(dependencies, nodeId);
  const tokens = new TokenStore(database, isCacheUsable);
  const users = new UserStore(database);
  const embedUsage = new EmbedUsageStore(database);
  const designs = new DesignStore(database, progress.notify.bind(progress), isCacheUsable);
  const revisions = new RevisionStore(database, designs);
  const jobs = new JobStore(database, nodeId);
  const posterLinks = new PosterLinks({
    signer: new Signer(dependencies.grantKey, POSTER_LINK_PURPOSE),
    publicOrigin: publicHost.origin,
    now,
  });
  const watcher = new DesignWatcher(designs, progress, posterLinks);
  const idempotency = new IdempotencyStore(database);
  const sessions = new SessionStore(database, isCacheUsable);
  const cached = { tokens, sessions, designs };
  const authentication = { sessions, cookie: new SessionCookie(publicHost.origin), publicHost };

  const app = createFastify(log, timeouts, compilers);
  const clientLimits = createClientLimits(dependencies);
  const responses = new ConnectionResponses(app.server);
  registerConnectionLimits(app, { ...clientLimits, responses, log });
  registerConnectionDrain(app, responses, timeouts.connectionDrainMs);
  const metrics = openMetrics(app, dependencies, {
    ...cached,
    ...{ embedUsage, nodeId, log, now, leaseTime },
  });
  registerRequestChecks(app, publicHost);
  registerAuthentication(app, { tokens, ...authentication, ...clientLimits, now });
  registerIdempotency(app, { idempotency, cookie: authentication.cookie, now });
  const monitors = {
    ...openMonitors(app, { timeouts, tokens, sessions, log, now }),
    ...clientLimits,
  };
  const { bodyMonitor } = monitors;
  registerJsonParser(app, { bodyMonitor, timeoutMs: timeouts.jsonBodyMs });
  registerReserveForDeletion(app, { reserve, database });
  if (!isPostgres(database)) invalidateCachesOnChange(app, { database, ...cached, progress, log });
  scheduleUsageTasks(app, { embedUsage, database, log, now });
  scheduleMaintenance(app, { database, tokens, revisions, idempotency, blobs, reserve, log, now });

  const stores = { tokens, designs, revisions, users, blobs, embedUsage };
  const processed = { revisions, jobs, progress, metrics, log, now, leaseTime };
  const runner = createJobRunner(app, dependencies, processed);
  app.addHook('onClose', () => progressSender?.close());
  const tusUploads = openTusUploads(dependencies, { node: nodeId, timeouts, leaseTime, log, now });
  const logLevelSetting = new LogLevelSetting(log);
  const { locker: uploadLocker } = tusUploads;
  const eventTargets = { node: nodeId, ...cached, progress, runner, uploadLocker };
  if (dependencies.events !== undefined)
    handleEvents(dependencies.events, { ...eventTargets, logLevelSetting });

  const quotas = createQuotas(app, dependencies, { ...tusUploads, leaseTime, now });
  const { maxQueuedJobs, validationWorker } = processing;
  const rows = { quotas, designs, revisions, jobs, database, blobs };
  const limits = { maxUploadBytes, maxQueuedJobs };
  await registerOpenApi(app, publicHost.origin);
  const { events, role = 'all', listNodes = async () => [] } = dependencies;
  healthRoutes(app, { database, sandbox: processing.sandbox, events });
  if (role === 'worker') return finish(app);
  const node = { nodeId, role, listNodes, logLevelSetting, reserve, processing, publicHost };
  await registerRoutes(app, dependencies, {
    ...{ ...node, ...rows, ...limits, ...stores, ...authentication, ...monitors, ...tusUploads },
    ...{ runner, validationWorker, watcher, progress, posterLinks, metrics, log, now, leaseTime },
  });
  return finish(app);
}

/** What is checked before a request is authenticated: its host, its path, and the types of its body and its response. */
function registerRequestChecks(app: FastifyInstance, publicHost: PublicHost): void {
  registerCors(app);
  registerHostCheck(app, publicHost);
  registerNotFoundHandler(app);
  registerContentNegotiation(app);
  registerBodyEncodingCheck(app);
}

/** The stores that have caches. */
type MeasuredStores = {
  tokens: TokenStore;
  sessions: SessionStore;
  designs: DesignStore;
  embedUsage: EmbedUsageStore;
};

/** Counts what the app does. Once a minute, the counts are stored. */
function openMetrics(
  app: FastifyInstance,
  dependencies: AppDependencies,
  {
    nodeId,
    log,
    now,
    leaseTime,
    ...stores
  }: MeasuredStores & {
    nodeId: string;
    log: Logger;
    now: () => Date;
    leaseTime: () => Promise<Date>;
  },
): Metrics {
  const { database, reserve, events, readPoolUse, storageKind } = dependencies;
  const { counters = new MinuteCounters() } = dependencies;
  const combined = combineMetrics([counters, dependencies.metrics]);
  recordRequests(app, combined);
  const measured = { database, reserve, events, readPoolUse, usesS3: storageKind === 's3' };
  recordSamples(app, { ...measured, counters, nodeId, log, now, leaseTime });
  for (const { caches } of Object.values(stores)) combined.addCaches(caches);
  return combined;
}

async function finish(app: FastifyInstance) {
  await app.ready();
  return app;
}

type JobDependencies = Pick<
  JobHandlerDependencies,
  'revisions' | 'jobs' | 'progress' | 'metrics' | 'now'
> & {
  log: Logger;
  leaseTime: () => Promise<Date>;
};

/** Creates the runner of jobs. It runs while the app does. */
function createJobRunner(
  app: FastifyInstance,
  { processing, blobs, database, role }: AppDependencies,
  { jobs, log, now, leaseTime, ...others }: JobDependencies,
): JobRunner {
  const handler = createJobHandler({ ...processing, ...others, jobs, blobs, database, log, now });
  const { concurrency, retryDelayMs } = processing;
  const options = { jobs, handler, concurrency, retryDelayMs };
  const runner = new JobRunner({ ...options, now: leaseTime, log });
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

/** Opens the resumable uploads of this node, which other nodes may continue. */
function openTusUploads(
  { database, segments }: AppDependencies,
  options: {
    node: string;
    timeouts: Timeouts;
    leaseTime: () => Promise<Date>;
    log: Logger;
    now: () => Date;
  },
) {
  const { node, timeouts, leaseTime, log, now } = options;
  const leases = new UploadLeases({ database, node, leaseTime, now });
  const locker = new UploadLocker({ leases, timeoutMs: timeouts.uploadLockMs, log });
  return { tusUploads: new TusUploadStore(database), segments, leases, locker, node };
}

function createQuotas(
  app: FastifyInstance,
  { database, quotas: limits = NO_QUOTAS, maxUploadBytes }: AppDependencies,
  options: {
    tusUploads: TusUploadStore;
    node: string;
    leaseTime: () => Promise<Date>;
    now: () => Date;
  },
): Quotas {
  const { tusUploads, node, leaseTime, now } = options;
  const reservations = new ReservationStore({ database, node, leaseTime });
  app.addHook('onReady', () => reservations.start());
  app.addHook('onClose', async () => reservations[Symbol.dispose]());
  const sumPending: PendingUploads['sumPending'] = (user, db) =>
    tusUploads.sumPending(user, maxUploadBytes, now(), db);
  return new Quotas({ database, limits, pendingUploads: { sumPending }, reservations });
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
    pageCheckLimiter: createLimiter(limits.pageChecksPerMinute, 'pages'),
    uploadLimiter: new ConcurrencyLimiter(limits.uploadsPerToken),
  };
}

/** Opens the monitors that end long requests. They are closed with the app. */
function openMonitors(
  app: FastifyInstance,
  {
    timeouts,
    log,
    ...stores
  }: {
    timeouts: Timeouts;
    tokens: TokenStore;
    sessions: SessionStore;
    log: Logger;
    now: () => Date;
  },
) {
  const { jsonBodyMs, uploadStallMs: stallMs } = timeouts;
  const bodyMonitor = new BodyMonitor(Math.min(jsonBodyMs, stallMs));
  const tokenMonitor = new TokenMonitor({ ...stores, log });
  app.addHook('onClose', async () => {
    bodyMonitor[Symbol.dispose]();
    tokenMonitor[Symbol.dispose]();
  });
  const uploadBodyLimits = { stallMs, minBytesPerSecond: MIN_UPLOAD_BYTES_PER_SECOND };
  return { bodyMonitor, tokenMonitor, uploadBodyLimits };
}
