import { once } from 'node:events';
import { join } from 'node:path';
import { buildApp } from './app.ts';
import { CachedBlobStore } from './blobs/cached-blob-store.ts';
import { DiskBlobStore } from './blobs/disk-blob-store.ts';
import { ConfigError, readConfig } from './config.ts';
import { migrate } from './database/migrate.ts';
import { openSqlite } from './database/sqlite.ts';
import { createBasePolicy } from './embed/content-security-policy.ts';
import { readViewerBuild } from './embed/viewer-build.ts';
import { parseViewerTemplate } from './embed/viewer-template.ts';
import { shutDownGracefully } from './http/graceful-shutdown.ts';
import { createLogger, openStdout } from './http/logger.ts';
import { openProcessingEnvironment } from './processing/processing-environment.ts';
import { createInitialUser, deliverToken } from './startup/bootstrap-token.ts';
import { acquireDataDirectoryLock } from './startup/data-directory-lock.ts';
import { loadOrCreateGrantKey } from './startup/grant-key.ts';
import {
  assertPortAvailable,
  ensureDataDirectory,
  printStartupMessage,
} from './startup/startup-checks.ts';
import { TusUploadStore } from './uploads/tus-upload-store.ts';

const VIEWER_DIST = join(import.meta.dirname, '../../viewer/dist');

try {
  await main();
} catch (error) {
  // The message tells the operator what to correct. A stack trace would not help.
  if (!(error instanceof ConfigError)) throw error;
  console.error(`cloche: ${error.message}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config.logLevel, openStdout());
  await ensureDataDirectory(config.dataDirectory);
  using _lock = acquireDataDirectoryLock(config.dataDirectory);
  // Checked before the bootstrap token is delivered: it is delivered only once.
  await assertPortAvailable(config);
  await using database = openSqlite(join(config.dataDirectory, 'cloche.sqlite'));
  await migrate(database);
  await createInitialUser(database, new Date(), (tokenString) =>
    deliverToken(tokenString, config.bootstrapTokenFile),
  );

  const viewer = await readViewerBuild(VIEWER_DIST);
  await using processing = await openProcessingEnvironment({
    workDirectory: join(config.dataDirectory, 'jobs'),
    browser: config.browser,
    viewer: {
      render: parseViewerTemplate(viewer.template),
      contentSecurityPolicy: createBasePolicy(viewer),
      assets: viewer.assets,
    },
    maxTextureSize: config.maxTextureSize,
    log,
  });
  const app = await buildApp({
    database,
    processing,
    blobs: new CachedBlobStore(await DiskBlobStore.open(join(config.dataDirectory, 'blobs'))),
    tusUploads: await TusUploadStore.open(join(config.dataDirectory, 'uploads')),
    viewer,
    publicUrl: config.publicUrl,
    grantKey:
      config.grantKey ?? (await loadOrCreateGrantKey(join(config.dataDirectory, 'grant.key'))),
    maxUploadBytes: config.maxUploadBytes,
    log,
  });
  await app.listen({ port: config.port, host: config.host });
  printStartupMessage(config);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await shutDownGracefully(app, config.shutdownTimeoutMs);
}
