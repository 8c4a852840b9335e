import { once } from 'node:events';
import { join } from 'node:path';
import { SandboxUnavailableError } from '@cloche/pipeline/sandbox/sandbox';
import { buildApp } from './app.ts';
import { CachedBlobStore } from './blobs/cached-blob-store.ts';
import { SharedBlobStore } from './blobs/shared-blob-store.ts';
import { type Config, ConfigError } from './config.ts';
import { readConsoleBuild } from './console/console-build.ts';
import { readDatabaseTime } from './database/database-time.ts';
import { PROGRAM_VERSION } from './database/program-version.ts';
import { DiskReserve } from './disk/disk-reserve.ts';
import { createBasePolicy } from './embed/content-security-policy.ts';
import { readViewerBuild } from './embed/viewer-build.ts';
import { parseViewerTemplate } from './embed/viewer-template.ts';
import type { EventSource } from './events/event.ts';
import { shutDownGracefully } from './http/graceful-shutdown.ts';
import { openStdout } from './http/log-destination.ts';
import { createLogger, type Logger } from './http/logger.ts';
import {
  openProcessingEnvironment,
  type ProcessingEnvironmentOptions,
} from './processing/processing-environment.ts';
import { readSdkBuild } from './sdk/sdk-build.ts';
import { createInitialUser, deliverToken } from './startup/bootstrap-token.ts';
import { ensureDataDirectory, restrictPermissions } from './startup/data-directory.ts';
import { acquireDataDirectoryLock } from './startup/data-directory-lock.ts';
import { loadOrCreateGrantKey } from './startup/grant-key.ts';
import { identifyFiles, joinNodes } from './startup/join-nodes.ts';
import { loadOrCreateNodeId } from './startup/node-id.ts';
import { assertNoBlobsOfOtherDatabase, openBlobStore } from './startup/open-blob-store.ts';
import { assertDatabaseSupported, openDatabase } from './startup/open-database.ts';
import { openMetrics } from './startup/open-metrics.ts';
import { openPostgresDatabase } from './startup/open-postgres-database.ts';
import { assertPortAvailable, printStartupMessage } from './startup/startup-checks.ts';
import { toStorageError } from './startup/storage-errors.ts';
import { TusUploadStore } from './uploads/tus-upload-store.ts';

const VIEWER_DIST = join(import.meta.dirname, '../../viewer/dist');
const CONSOLE_DIST = join(import.meta.dirname, '../../console/dist');
const SDK_DIST = join(import.meta.dirname, '../../sdk/dist');

/** Runs the service until SIGTERM or SIGINT. @throws {ConfigError} */
export async function serve(config: Config): Promise<void> {
  // Without a listener, a write beyond the limit of file sizes ends the process.
  process.on('SIGXFSZ' as NodeJS.Signals, () => {});
  try {
    await runService(config);
  } catch (error) {
    throw toStorageError(error, { variable: 'CLOCHE_DATA', path: config.dataDirectory });
  }
}

async function runService(config: Config): Promise<void> {
  const log = createLogger(config.logLevel, openStdout());
  // Files and directories that the service creates are for its own user only.
  process.umask(0o077);
  await ensureDataDirectory(config.dataDirectory);
  using _lock = acquireDataDirectoryLock(config.dataDirectory);
  // Before anything is written: an older program must not change newer data.
  if (config.database.kind === 'sqlite') assertDatabaseSupported(config.dataDirectory);
  // All that can be wrong is checked before the bootstrap token is delivered: it is delivered only once.
  await assertPortAvailable(config);
  await warnAboutPermissions(config.dataDirectory, log);
  const viewer = await readBuild(readViewerBuild, VIEWER_DIST);
  const console = await readBuild(readConsoleBuild, CONSOLE_DIST);
  const sdk = await readBuild(readSdkBuild, SDK_DIST);
  using reserve = new DiskReserve(join(config.dataDirectory, 'reserve'));
  await reserve.releaseForStart();
  const nodeId = await loadOrCreateNodeId(join(config.dataDirectory, 'node-id'));
  const { filesDirectory } = config;
  await using blobStore = await openBlobStore(
    config.dataDirectory,
    config.s3,
    filesDirectory === undefined ? undefined : { path: filesDirectory, nodeId },
  );
  const stopping = Promise.withResolvers<void>();
  await using opened = await openServiceDatabase(config, nodeId, log, stopping.resolve);
  const { database, events, joined } = opened;
  const blobs =
    config.database.kind === 'postgres'
      ? new SharedBlobStore(blobStore.blobs, database)
      : blobStore.blobs;
  await assertNoBlobsOfOtherDatabase(database, blobs);
  await createInitialUser(database, new Date(), (tokenString) =>
    deliverToken(tokenString, config.bootstrapTokenFile),
  );

  await using processing = await openProcessing({
    workDirectory: join(config.dataDirectory, 'jobs'),
    browser: config.browser,
    viewer: {
      render: parseViewerTemplate(viewer.languages.en.template),
      contentSecurityPolicy: createBasePolicy(viewer),
      assets: viewer.assets,
    },
    maxTextureSize: config.maxTextureSize,
    maxTriangles: config.maxTriangles,
    sandboxLevel: config.sandboxLevel,
    workers: config.workers,
    log,
  });
  const sandboxLevel = processing.sandbox.level;
  await using metricsServer = await openMetrics(config, { database, sandboxLevel, events, log });
  const app = await buildApp({
    metrics: metricsServer?.metrics,
    database,
    events,
    nodeId,
    role: config.role,
    listNodes: joined?.listNodes,
    ...(config.database.kind === 'postgres' && { leaseTime: () => readDatabaseTime(database) }),
    reserve,
    processing,
    blobs: new CachedBlobStore(blobs),
    tusUploads: await TusUploadStore.open(join(config.dataDirectory, 'uploads'), log),
    viewer,
    console,
    sdk,
    publicUrl: config.publicUrl,
    formerOrigins: config.formerOrigins,
    grantKey:
      config.grantKey ?? (await loadOrCreateGrantKey(join(config.dataDirectory, 'grant.key'))),
    maxUploadBytes: config.maxUploadBytes,
    trustedProxies: config.trustedProxies,
    limits: config.limits,
    quotas: config.quotas,
    log,
  });
  if (!reserve.refill()) log.warn('the disk is full: the reserve for deletions is incomplete');
  await app.listen({ port: config.port, host: config.host });
  printStartupMessage(config);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT'), stopping.promise]);
  await shutDownGracefully(app, config.shutdownTimeoutMs);
}

async function openServiceDatabase(config: Config, nodeId: string, log: Logger, stop: () => void) {
  if (config.database.kind === 'postgres') {
    await using resources = new AsyncDisposableStack();
    const opened = resources.use(
      await openPostgresDatabase(config.database.url, log, { nodeId, stop }),
    );
    const { role, s3, filesDirectory, dataDirectory } = config;
    const files = await identifyFiles(filesDirectory ?? join(dataDirectory, 'blobs'), s3);
    const node = { id: nodeId, role, version: PROGRAM_VERSION, files };
    const joined = resources.use(await joinNodes(opened.database, node, log));
    const moved = resources.move();
    return { ...opened, joined, [Symbol.asyncDispose]: () => moved.disposeAsync() };
  }
  const database = await openDatabase(config.dataDirectory);
  const events: EventSource | undefined = undefined;
  return { database, events, joined: undefined, [Symbol.asyncDispose]: () => database.destroy() };
}

async function openProcessing(options: ProcessingEnvironmentOptions) {
  try {
    return await openProcessingEnvironment(options);
  } catch (error) {
    if (!(error instanceof SandboxUnavailableError)) throw error;
    const { message } = error;
    throw new ConfigError(
      `CLOCHE_SANDBOX is "strict", but this level is not available: ${message}.`,
    );
  }
}

async function warnAboutPermissions(dataDirectory: string, log: Logger): Promise<void> {
  const paths = await restrictPermissions(dataDirectory);
  if (paths.length === 0) return;
  log.warn(
    { count: paths.length, path: paths[0] },
    'other users of this machine can read data: these files belong to another user, so their permissions cannot be changed',
  );
}

/** The service never builds what browsers load: it may not be allowed to write there. */
async function readBuild<T>(read: (folder: string) => Promise<T>, folder: string): Promise<T> {
  try {
    return await read(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ConfigError(
      'The viewer, the console or the SDK is not built. Run "npm ci" or "npm run build" in the sources.',
    );
  }
}
