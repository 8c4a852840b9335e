import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { LogController } from 'fastify';
import type { Blobs } from './blobs/blobs.ts';
import type { Database } from './database/database.ts';
import { createDesignRoute } from './designs/create.ts';
import { Designs } from './designs/designs.ts';
import { designEvents } from './designs/events.ts';
import { roomChecker } from './designs/intake.ts';
import { processing } from './designs/process.ts';
import { designRoutes } from './designs/routes.ts';
import { Uploads } from './designs/uploads.ts';
import { Views } from './designs/views.ts';
import { collectRoutes } from './docs/openapi.ts';
import { docsRoutes } from './docs/routes.ts';
import { checkRoute } from './embed/check-route.ts';
import { Grants } from './embed/grant.ts';
import { embedRoutes } from './embed/routes.ts';
import type { ViewerFiles } from './embed/viewer-files.ts';
import { housekeeping } from './housekeeping.ts';
import { type Begin, inTurn } from './http/begin.ts';
import { answerUnreadable, replyWithProblem } from './http/failures.ts';
import { healthRoutes } from './http/health.ts';
import { checkHosts, PublicHost } from './http/hosts.ts';
import { Answers } from './http/idempotency.ts';
import { readJsonBodies } from './http/json.ts';
import {
  type Logger,
  type LogWish,
  openLog,
  requestIds,
  tellOfBroken,
  tellOfRequests,
} from './http/log.ts';
import { dropTheRest } from './http/rest.ts';
import { mindManners } from './http/routes.ts';
import { schemaCompiler } from './http/schemas.ts';
import { dropSilentConnections } from './http/stop.ts';
import { Jobs } from './pipeline/jobs.ts';
import type { Maker } from './pipeline/maker.ts';
import { News } from './pipeline/news.ts';
import type { Poster } from './pipeline/poster.ts';
import type { Examiner } from './pipeline/preflight/examiner.ts';
import { Runner } from './pipeline/runner.ts';
import type { Task } from './pipeline/sandbox/task.ts';
import { guard } from './tokens/guard.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { Tokens } from './tokens/tokens.ts';
import type { Arrivals } from './uploads/arrivals.ts';
import { uploadRoutes } from './uploads/routes.ts';

/** What the house stands on. serve.ts opens the real ones, tests pass passing ones. */
export type Ground = {
  database: Database;
  blobs: Blobs;
  /** Files that come in pieces. */
  arrivals: Arrivals;
  viewer: ViewerFiles;
  /** The origin the world reaches us at. */
  publicUrl: string;
  grantKey: Buffer;
  maxUploadBytes: number;
  workshop: Workshop;
  now?: () => Date;
  log?: LogWish | undefined;
  timeouts?: Partial<Timeouts>;
};

/** Where models are made of uploads. */
export type Workshop = {
  /** Looks at files before anything opens them. */
  examiner: Examiner;
  maker: Maker;
  /** Undefined where there is no browser to take pictures with. */
  poster?: Poster | undefined;
  /** Every job has a folder of its own in here while it runs. */
  folder: string;
  /** How models are made, but for what is usual. */
  options?: Task['options'];
  /** So many jobs at once. */
  concurrency: number;
  /** So many may wait; more are refused. */
  queue: number;
  /** What breaks off is begun again after so long, and then after four times as long. */
  retryMs?: number;
};

export type Timeouts = {
  headersMs: number;
  jsonBodyMs: number;
  uploadStallMs: number;
  /** So long a request waits for another one about the same upload. */
  uploadLockMs: number;
  restMs: number;
};

const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  jsonBodyMs: 30_000,
  uploadStallMs: 30_000,
  uploadLockMs: 10_000,
  restMs: 10_000,
};

export type App = Awaited<ReturnType<typeof buildApp>>;

/** The table of contents: every room of the server, and what each is given. */
export async function buildApp(ground: Ground) {
  const { database, blobs, viewer, now = () => new Date() } = ground;
  const timeouts = { ...TIMEOUTS, ...ground.timeouts };
  const publicHost = new PublicHost(ground.publicUrl);
  const tokens = new Tokens(database);
  const designs = new Designs(database);
  const uploads = new Uploads(database, designs);
  const jobs = new Jobs(database);
  const news = new News();
  const views = new Views(designs, news);
  const answers = new Answers(database);
  const grants = new Grants(ground.grantKey);

  const log = openLog(ground.log);
  const begin = inTurn(tellOfRequests(ground.log), tellOfBroken(log), dropTheRest(timeouts.restMs));
  const app = openFastify({ log, begin, headersMs: timeouts.headersMs });
  dropSilentConnections(app);
  checkHosts(app, publicHost);
  mindManners(app);
  guard(app, { tokens, publicHost, now });
  readJsonBodies(app, timeouts.jsonBodyMs);
  housekeeping(app, { tokens, uploads, answers, blobs, log, now });
  const { workshop } = ground;
  const work = processing({ ...workshop, uploads, jobs, blobs, database, news, log, now });
  const { concurrency, retryMs } = workshop;
  const runner = new Runner({ jobs, work, concurrency, retryMs, now, log });
  app.addHook('onReady', async () => runner.start());
  app.addHook('preClose', () => runner.stop());

  await collectRoutes(app, publicHost.origin);
  healthRoutes(app, { database });
  await app.register(tokenRoutes, { prefix: '/v1/tokens', tokens, answers, database, now });
  await app.register(checkRoute, { prefix: '/v1/tokens/check', tokens, designs, now });
  await app.register(designRoutes, {
    prefix: '/v1/designs',
    ...{ designs, uploads, views, blobs, runner, now },
  });
  await app.register(designEvents, { prefix: '/v1/designs', designs, views });
  const intake = {
    ...{ designs, uploads, jobs, blobs, answers, database, runner, now },
    examiner: workshop.examiner,
    checkRoom: roomChecker(jobs, workshop.queue),
    maxUploadBytes: ground.maxUploadBytes,
    uploadStallMs: timeouts.uploadStallMs,
  };
  await app.register(createDesignRoute, { prefix: '/v1/designs', ...intake, views });
  await app.register(uploadRoutes, {
    prefix: '/v1/uploads',
    ...{ ...intake, publicHost, arrivals: ground.arrivals, log },
    uploadLockMs: timeouts.uploadLockMs,
  });
  await app.register(embedRoutes, {
    prefix: '/embed',
    ...{ tokens, designs, blobs, grants, viewer, publicHost, now },
  });
  await app.register(docsRoutes, { publicHost });
  await app.ready();
  return app;
}

function openFastify({ log, begin, headersMs }: { log: Logger; begin: Begin; headersMs: number }) {
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
    clientErrorHandler: answerUnreadable,
    // Addresses that cannot be routed: they come by no hook and no route.
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      replyWithProblem(error, request, reply);
    },
    // What comes on an open connection while we stop is answered; /readyz says that we stop.
    return503OnClosing: false,
    genReqId: requestIds(),
  }).withTypeProvider<TypeBoxTypeProvider>();
  // What Fastify and its plugins have to say by themselves.
  app.log = log;
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done();
  });
  app.setValidatorCompiler(schemaCompiler());
  app.setErrorHandler(replyWithProblem);
  return app;
}
