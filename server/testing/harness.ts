import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { LANGUAGES } from '@cloche/contract/viewer-options';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { getMessages } from '../../viewer/src/i18n/translations.ts';
import { type App, buildApp } from '../src/app.ts';
import type { AppDependencies } from '../src/app-dependencies.ts';
import { CachedBlobStore } from '../src/blobs/cached-blob-store.ts';
import { DiskBlobStore } from '../src/blobs/disk-blob-store.ts';
import type { ConsoleBuild } from '../src/console/console-build.ts';
import { RESERVE_BYTES, type Reserve } from '../src/disk/disk-reserve.ts';
import type { ViewerBuild } from '../src/embed/viewer-build.ts';
import { shutDownGracefully } from '../src/http/graceful-shutdown.ts';
import { createLogger } from '../src/http/logger.ts';
import { createCrossOriginAsset, createImmutableAsset } from '../src/http/static-asset.ts';
import type { ProcessingEnvironment } from '../src/processing/processing-environment.ts';
import type { SdkBuild } from '../src/sdk/sdk-build.ts';
import { createInitialUser } from '../src/startup/bootstrap-token.ts';
import { DiskUploadSegments } from '../src/uploads/disk-upload-segments.ts';
import { createTestProcessing } from './fake-processing.ts';
import { releaseAfter } from './release-after.ts';
import { openDatabaseIn } from './test-database.ts';

/** A complete server with its own database and data directory, closed after the test. */
export type TestServer = {
  app: App;
  /** The bootstrap token: read, write, embed. */
  token: string;
  origin: string;
  dataDirectory: string;
  /** All log lines so far. */
  logLines: string[];
  /** Advances the clock of the server. */
  advanceTime(ms: number): void;
};

export type TestServerOptions = Partial<
  Omit<AppDependencies, 'now' | 'log' | 'processing' | 'reserve'>
> & {
  /** Overrides of a disk that is never full. */
  reserve?: Partial<Reserve>;
  listen?: boolean;
  logLevel?: string;
  /** Overrides of the test processing environment, which copies models unchanged. */
  processing?: Partial<ProcessingEnvironment>;
  /** The data directory of a server that was closed. By default a new one. */
  dataDirectory?: string;
};

/** Opens a server. With `listen` it listens on a free port of 127.0.0.1, which is in `origin`. */
export async function openTestServer(
  t: TestContext,
  options: TestServerOptions = {},
): Promise<TestServer> {
  const {
    listen = false,
    logLevel = 'info',
    processing,
    reserve,
    dataDirectory = await mkdtemp(join(tmpdir(), 'cloche-')),
    ...dependencies
  } = options;
  const { database, close } = await openDatabaseIn(dataDirectory);
  let token = '';
  await createInitialUser(database, new Date(), async (tokenString) => {
    token = tokenString;
  });

  const logLines: string[] = [];
  let advancedMs = 0;
  const port = listen ? await findFreePort() : 80;
  const origin = listen ? `http://cloche.test:${port}` : 'http://cloche.test';
  const app = await buildApp({
    database,
    reserve: { ...UNLIMITED_DISK, ...reserve },
    blobs: new CachedBlobStore(await DiskBlobStore.open(join(dataDirectory, 'blobs'))),
    segments: await DiskUploadSegments.open(join(dataDirectory, 'uploads')),
    viewer: STUB_VIEWER,
    console: STUB_CONSOLE,
    sdk: STUB_SDK,
    publicUrl: origin,
    grantKey: Buffer.alloc(32, 7),
    maxUploadBytes: 8 * 1024 * 1024,
    ...dependencies,
    // No test waits for clients that have gone.
    timeouts: { connectionDrainMs: 0, ...dependencies.timeouts },
    processing: { ...createTestProcessing(dataDirectory), ...processing },
    now: () => new Date(Date.now() + advancedMs),
    log: createLogger(logLevel, { write: (line) => void logLines.push(line) }),
  });
  releaseAfter(t, async () => {
    await shutDownGracefully(app, 1000);
    await close();
    // Worker processes of jobs that were interrupted may still write for a moment.
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 20 });
  });
  if (listen) await app.listen({ port, host: '127.0.0.1' });
  const advanceTime = (ms: number) => {
    advancedMs += ms;
  };
  return { app, token, origin, dataDirectory, logLines, advanceTime };
}

/** A disk that is never full. */
const UNLIMITED_DISK: Reserve = {
  run: (operation) => operation(),
  refill: () => true,
  isSpaceLow: async () => false,
  readSpace: async () => ({
    freeBytes: 1e12,
    totalBytes: 2e12,
    reserveBytes: RESERVE_BYTES,
    reserveTargetBytes: RESERVE_BYTES,
  }),
};

/** Replaces the built viewer in tests without a browser. */
const STUB_VIEWER: ViewerBuild = {
  languages: Object.fromEntries(
    LANGUAGES.map((language) => [
      language,
      {
        template: `<!doctype html><html lang="${language}"{{rootAttributes}}>{{backgroundStyle}}<title>{{title}}</title>{{inlinePoster}}<script type="application/json" id="viewer-config">{{viewerConfig}}</script>`,
        messages: getMessages(language),
      },
    ]),
  ) as never as ViewerBuild['languages'],
  scriptHashes: ["'sha256-script'"],
  styleHashes: ["'sha256-style'"],
  assets: new Map([
    [
      'viewer-1.js',
      createImmutableAsset({
        contentType: 'text/javascript; charset=utf-8',
        identity: Buffer.from('plain'),
        br: Buffer.from('br'),
        gzip: Buffer.from('gzip'),
      }),
    ],
  ]),
};

/** Replaces the built console in tests without a browser. */
const STUB_CONSOLE: ConsoleBuild = {
  page: '<!doctype html><title>Cloche</title>',
  docsScripts: {
    docs: '/console/assets/docs-1.js',
    api: '/console/assets/api-1.js',
    examples: '/console/assets/examples-1.js',
    speed: '/console/assets/speed-1.js',
  },
  reactModule: '',
  assets: new Map(
    ['console-1.js', 'docs-1.js', 'api-1.js', 'examples-1.js', 'speed-1.js'].map((name) => [
      name,
      createImmutableAsset({
        contentType: 'text/javascript; charset=utf-8',
        identity: Buffer.from('plain'),
        br: undefined,
        gzip: undefined,
      }),
    ]),
  ),
};

/** Replaces the built SDK in tests without a browser. */
const STUB_SDK: SdkBuild = new Map(
  ['cloche.js', 'cloche.mjs'].map((name) => [
    name,
    createCrossOriginAsset({
      contentType: 'text/javascript; charset=utf-8',
      identity: Buffer.from('plain'),
      br: Buffer.from('br'),
      gzip: Buffer.from('gzip'),
    }),
  ]),
);

/** The headers of an API request. */
export function apiHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, host: 'cloche.test' };
}
