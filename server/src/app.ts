import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { LogController } from 'fastify';
import type { BlobStore } from './blobs/blob-store.ts';
import type { Database } from './database/database.ts';
import { DesignStore } from './designs/design-store.ts';
import { DesignWatcher } from './designs/design-watcher.ts';
import { designEventRoutes } from './designs/event-routes.ts';
import { revisionRoutes } from './designs/revision-routes.ts';
import { RevisionStore } from './designs/revision-store.ts';
import { designRoutes } from './designs/routes.ts';
import { designUploadRoutes } from './designs/upload-routes.ts';
import { registerOpenApi } from './docs/openapi.ts';
import { docsRoutes } from './docs/routes.ts';
import { GrantSigner } from './embed/asset-grant.ts';
import { embedCheckRoute } from './embed/embed-check-route.ts';
import { embedRoutes } from './embed/routes.ts';
import type { ViewerBuild } from './embed/viewer-build.ts';
import { registerContentNegotiation } from './http/content-negotiation.ts';
import { createDrainBodyHook } from './http/drain-body.ts';
import { clientErrorHandler, errorHandler } from './http/error-handler.ts';
import { registerUnusedConnectionCleanup } from './http/graceful-shutdown.ts';
import { healthRoutes } from './http/health.ts';
import { IdempotencyStore } from './http/idempotency-store.ts';
import { registerJsonParser } from './http/json-body.ts';
import {
  createAccessLogHook,
  createLogger,
  createRequestIdGenerator,
  createResponseErrorHook,
  type Logger,
  type LogOptions,
} from './http/logger.ts';
import { PublicHost, registerHostCheck } from './http/public-host.ts';
import { composeHooks, type RequestHook } from './http/request-hook.ts';
import { createValidatorCompiler } from './http/validator-compiler.ts';
import { JobRunner } from './processing/job-runner.ts';
import { JobStore } from './processing/job-store.ts';
import { createJobHandler } from './processing/process-revision.ts';
import type { ProcessingEnvironment } from './processing/processing-environment.ts';
import { ProgressHub } from './processing/progress.ts';
import { scheduleMaintenance } from './startup/maintenance.ts';
import { registerAuthentication } from './tokens/authenticate.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { TokenStore } from './tokens/token-store.ts';
import { tusUploadRoutes } from './uploads/routes.ts';
import type { TusUploadStore } from './uploads/tus-upload-store.ts';

/** What the house stands on. serve.ts opens the real ones, tests pass passing ones. */
export type AppDependencies = {
  database: Database;
  blobs: BlobStore;
  /** Files that come in pieces. */
  tusUploads: TusUploadStore;
  viewer: ViewerBuild;
  /** The origin the world reaches us at. */
  publicUrl: string;
  grantKey: Buffer;
  maxUploadBytes: number;
  processing: ProcessingEnvironment;
  now?: () => Date;
  log?: LogOptions | undefined;
  timeouts?: Partial<Timeouts>;
};

export type Timeouts = {
  headersMs: number;
  jsonBodyMs: number;
  uploadStallMs: number;
  /** So long a request waits for another one about the same upload. */
  uploadLockMs: number;
  bodyDrainMs: number;
};

const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  jsonBodyMs: 30_000,
  uploadStallMs: 30_000,
  uploadLockMs: 10_000,
  bodyDrainMs: 10_000,
};

export type App = Awaited<ReturnType<typeof buildApp>>;

/** The table of contents: every room of the server, and what each is given. */
export async function buildApp(ground: AppDependencies) {
  const { database, blobs, viewer, now = () => new Date() } = ground;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...ground.timeouts };
  const publicHost = new PublicHost(ground.publicUrl);
  const tokens = new TokenStore(database);
  const designs = new DesignStore(database);
  const revisions = new RevisionStore(database, designs);
  const jobs = new JobStore(database);
  const progress = new ProgressHub();
  const watcher = new DesignWatcher(designs, progress);
  const idempotency = new IdempotencyStore(database);
  const grantSigner = new GrantSigner(ground.grantKey);

  const log = createLogger(ground.log);
  const begin = composeHooks(
    createAccessLogHook(ground.log),
    createResponseErrorHook(log),
    createDrainBodyHook(timeouts.bodyDrainMs),
  );
  const app = createFastify({ log, begin, headersMs: timeouts.headersMs });
  registerUnusedConnectionCleanup(app);
  registerHostCheck(app, publicHost);
  registerContentNegotiation(app);
  registerAuthentication(app, { tokens, publicHost, now });
  registerJsonParser(app, timeouts.jsonBodyMs);
  scheduleMaintenance(app, { tokens, revisions, idempotency, blobs, log, now });
  const { processing: workshop } = ground;
  const handler = createJobHandler({
    ...workshop,
    revisions,
    jobs,
    blobs,
    database,
    progress,
    log,
    now,
  });
  const { concurrency, retryDelayMs } = workshop;
  const runner = new JobRunner({ jobs, handler, concurrency, retryDelayMs, now, log });
  app.addHook('onReady', async () => runner.start());
  app.addHook('preClose', () => runner.stop());

  await registerOpenApi(app, publicHost.origin);
  healthRoutes(app, { database });
  await app.register(tokenRoutes, { prefix: '/v1/tokens', tokens, idempotency, database, now });
  await app.register(embedCheckRoute, { prefix: '/v1/tokens/check', tokens, designs, now });
  await app.register(designRoutes, {
    prefix: '/v1/designs',
    ...{ designs, revisions, watcher, runner, now },
  });
  await app.register(revisionRoutes, { prefix: '/v1/designs', designs, revisions, blobs });
  await app.register(designEventRoutes, { prefix: '/v1/designs', designs, watcher });
  const intake = {
    ...{ designs, revisions, jobs, blobs, idempotency, database, runner, now },
    validationWorker: workshop.validationWorker,
    maxQueuedJobs: workshop.maxQueuedJobs,
    maxUploadBytes: ground.maxUploadBytes,
    uploadStallMs: timeouts.uploadStallMs,
  };
  await app.register(designUploadRoutes, { prefix: '/v1/designs', ...intake, watcher });
  await app.register(tusUploadRoutes, {
    prefix: '/v1/uploads',
    ...{ ...intake, publicHost, tusUploads: ground.tusUploads, log },
    uploadLockMs: timeouts.uploadLockMs,
  });
  await app.register(embedRoutes, {
    prefix: '/embed',
    ...{ tokens, designs, blobs, grantSigner, viewer, publicHost, now },
  });
  await app.register(docsRoutes, { publicHost });
  await app.ready();
  return app;
}

function createFastify({
  log,
  begin,
  headersMs,
}: {
  log: Logger;
  begin: RequestHook;
  headersMs: number;
}) {
  const app = Fastify({
    // A logger of Fastify's own would listen on every response, at a twentieth of its cost.
    logger: false,
    childLoggerFactory: () => log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    http: {
      // Answered by ourselves, in http/hosts.ts.
      requireHostHeader: false,
      headersTimeout: headersMs,
      // Bodies have timers of their own: a large upload may take long, if it moves.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16 * 1024,
    },
    clientErrorHandler: clientErrorHandler,
    // Addresses that cannot be routed: they come by no hook and no route.
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      errorHandler(error, request, reply);
    },
    // What comes on an open connection while we stop is answered; /readyz says that we stop.
    return503OnClosing: false,
    genReqId: createRequestIdGenerator(),
  }).withTypeProvider<TypeBoxTypeProvider>();
  // What Fastify and its plugins have to say by themselves.
  app.log = log;
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done();
  });
  app.setValidatorCompiler(createValidatorCompiler());
  app.setErrorHandler(errorHandler);
  return app;
}
