import { once } from 'node:events';
import { join } from 'node:path';
import type { StorageKind } from '@cloche/contract/system';
import { SandboxUnavailableError } from '@cloche/pipeline/sandbox/sandbox';
import { buildApp } from './app.ts';
import { CachedBlobStore } from './blobs/cached-blob-store.ts';
import type { S3Settings } from './blobs/s3-settings.ts';
import { SharedBlobStore } from './blobs/shared-blob-store.ts';
import type { Config } from './config.ts';
import { readConsoleBuild } from './console/console-build.ts';
import type { Database } from './database/database.ts';
import { readDatabaseTime } from './database/database-time.ts';
import { PROGRAM_VERSION } from './database/program-version.ts';
import { isBlobNeeded } from './designs/blob-references.ts';
import { DiskReserve } from './disk/disk-reserve.ts';
import { createBasePolicy } from './embed/content-security-policy.ts';
import { readViewerBuild, type ViewerBuild } from './embed/viewer-build.ts';
import { parseViewerTemplate } from './embed/viewer-template.ts';
import { ConfigError } from './environment.ts';
import type { EventSource } from './events/event.ts';
import { shutDownGracefully } from './http/graceful-shutdown.ts';
import { openStdout } from './http/log-destination.ts';
import { createLogger, type Logger } from './http/logger.ts';
import { combineMetrics } from './metrics/combine-metrics.ts';
import { MinuteCounters } from './metrics/minute-counters.ts';
import {
  openProcessingEnvironment,
  type ProcessingEnvironmentOptions,
} from './processing/processing-environment.ts';
import { readSdkBuild } from './sdk/sdk-build.ts';
import { createInitialUser, deliverToken, printSignInLink } from './startup/bootstrap-token.ts';
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
  const { viewer, console, sdk } = await readBuilds();
  using reserve = new DiskReserve(join(config.dataDirectory, 'reserve'));
  await reserve.releaseForStart();
  const nodeId = await loadOrCreateNodeId(join(config.dataDirectory, 'node-id'));
  const { filesDirectory, s3 } = config;
  let countS3Request: S3Settings['onRequest'];
  await using blobStore = await openBlobStore(
    config.dataDirectory,
    s3 && { ...s3, onRequest: (request) => countS3Request?.(request) },
    filesDirectory === undefined ? undefined : { path: filesDirectory, nodeId },
    config.cacheBytes,
  );
  const stopping = Promise.withResolvers<void>();
  await using opened = await openServiceDatabase(config, nodeId, log, stopping.resolve);
  const { database, events, joined } = opened;
  const blobs =
    config.database.kind === 'postgres' || s3 !== undefined
      ? new SharedBlobStore(blobStore.blobs, database, { isNeeded: isBlobNeeded })
      : blobStore.blobs;
  await assertNoBlobsOfOtherDatabase(database, blobs);
  await using processing = await openProcessing({
    workDirectory: join(config.dataDirectory, 'jobs'),
    browser: config.browser,
    viewer: toPosterViewer(viewer),
    maxTextureSize: config.maxTextureSize,
    maxTriangles: config.maxTriangles,
    sandboxLevel: config.sandboxLevel,
    workers: config.workers,
    log,
  });
  const { level: sandboxLevel } = processing.sandbox;
  const leaseTime = () => readDatabaseTime(database);
  const { readPoolUse } = opened;
  const measured = { database, sandboxLevel, events, readPoolUse, leaseTime, log };
  await using metricsServer = await openMetrics(config, measured);
  const cachedBlobs = new CachedBlobStore(blobs);
  const counters = new MinuteCounters();
  const metrics = combineMetrics([counters, metricsServer?.metrics]);
  metrics.addCaches({ ...cachedBlobs.caches, ...blobStore.caches });
  countS3Request = metrics.countS3Request;
  const grantKey =
    config.grantKey ?? (await loadOrCreateGrantKey(join(config.dataDirectory, 'grant.key')));
  const firstTokenId = await createFirstToken(database, config);
  const shared = { database, events, nodeId, leaseTime, counters, readPoolUse };
  const app = await buildApp({
    ...shared,
    metrics: metricsServer?.metrics,
    role: config.role,
    storageKind: findStorageKind(config),
    listNodes: joined?.listNodes,
    reserve,
    processing,
    blobs: cachedBlobs,
    segments: blobStore.segments,
    viewer,
    console,
    sdk,
    publicUrl: config.publicUrl,
    formerOrigins: config.formerOrigins,
    grantKey,
    maxUploadBytes: config.maxUploadBytes,
    cdn: config.cdn,
    trustedProxies: config.trustedProxies,
    pageFetching: { allowedAddresses: config.pageCheckAddresses },
    limits: config.limits,
    quotas: config.quotas,
    log,
  });
  if (!reserve.refill()) log.warn('the disk is full: the reserve for deletions is incomplete');
  await app.listen({ port: config.port, host: config.host });
  printStartupMessage(config);
  await printSignInLink(database, firstTokenId, config);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT'), stopping.promise]);
  await shutDownGracefully(app, config.shutdownTimeoutMs);
}

/** A worker creates none: it serves no API, so nobody looks for the token there. */
async function createFirstToken(database: Database, { role, bootstrapTokenFile }: Config) {
  if (role === 'worker') return undefined;
  return createInitialUser(database, new Date(), (tokenString) =>
    deliverToken(tokenString, bootstrapTokenFile),
  );
}

/** Reads all code for browsers. */
async function readBuilds() {
  const viewer = await readBuild(readViewerBuild, VIEWER_DIST);
  const console = await readBuild(readConsoleBuild, CONSOLE_DIST);
  const sdk = await readBuild(readSdkBuild, SDK_DIST);
  return { viewer, console, sdk };
}

function toPosterViewer(viewer: ViewerBuild): ProcessingEnvironmentOptions['viewer'] {
  const render = parseViewerTemplate(viewer.languages.en.template);
  return { render, contentSecurityPolicy: createBasePolicy(viewer), assets: viewer.assets };
}

function findStorageKind({ s3, filesDirectory }: Config): StorageKind {
  if (s3 !== undefined) return 's3';
  return filesDirectory === undefined ? 'folder' : 'shared-folder';
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
    const unlocked = opened.isPooled ? { stop } : undefined;
    const { url } = config.database;
    const joined = resources.use(await joinNodes(opened.database, node, { url, log, unlocked }));
    const moved = resources.move();
    return { ...opened, joined, [Symbol.asyncDispose]: () => moved.disposeAsync() };
  }
  const database = await openDatabase(config.dataDirectory);
  const events: EventSource | undefined = undefined;
  const unused = { joined: undefined, readPoolUse: undefined };
  return { database, events, ...unused, [Symbol.asyncDispose]: () => database.destroy() };
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
