import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type App,
  type AppDependencies,
  buildApp,
  type ProcessingEnvironment,
} from '../src/app.ts';
import { DiskBlobStore } from '../src/blobs/disk-blob-store.ts';
import { migrate } from '../src/database/migrate.ts';
import { openSqlite } from '../src/database/sqlite.ts';
import type { ViewerBuild } from '../src/embed/viewer-build.ts';
import { shutDownGracefully } from '../src/http/graceful-shutdown.ts';
import { createInitialUser } from '../src/startup/bootstrap-token.ts';
import { TusUploadStore } from '../src/uploads/tus-upload-store.ts';
import { createTestProcessing } from './fake-processing.ts';

/** A whole service with a database and a folder of its own, closed with the test. */
export type TestServer = {
  app: App;
  /** The first token: reads, writes, embeds. */
  token: string;
  origin: string;
  dataDirectory: string;
  /** Every log line so far. */
  logLines: string[];
  /** Moves the clock of the service. */
  advanceTime(ms: number): void;
};

export type TestServerOptions = Partial<Omit<AppDependencies, 'now' | 'log' | 'processing'>> & {
  listen?: boolean;
  logLevel?: string;
  /** Where models are made of uploads, when not as they are. */
  processing?: Partial<ProcessingEnvironment>;
  /** The folder of a service that was: its database is opened again. */
  dataDirectory?: string;
};

/** Opens a service. With `listen` it has a port of its own on 127.0.0.1, and `origin` names it. */
export async function openTestServer(
  t: TestContext,
  wishes: TestServerOptions = {},
): Promise<TestServer> {
  const { listen = false, logLevel = 'info', processing, dataDirectory: known, ...ground } = wishes;
  const dataDirectory = known ?? (await mkdtemp(join(tmpdir(), 'cloche-')));
  const database = openSqlite(join(dataDirectory, 'cloche.sqlite'));
  await migrate(database);
  let token = '';
  await createInitialUser(database, new Date(), async (text) => {
    token = text;
  });

  const plain = createTestProcessing(dataDirectory);
  const logLines: string[] = [];
  let passedMs = 0;
  const port = listen ? await findFreePort() : 80;
  const origin = listen ? `http://cloche.test:${port}` : 'http://cloche.test';
  const app = await buildApp({
    database,
    blobs: await DiskBlobStore.open(join(dataDirectory, 'blobs')),
    tusUploads: await TusUploadStore.open(join(dataDirectory, 'uploads')),
    viewer: STUB_VIEWER,
    publicUrl: origin,
    grantKey: Buffer.alloc(32, 7),
    maxUploadBytes: 8 * 1024 * 1024,
    ...ground,
    processing: { ...plain, ...processing },
    now: () => new Date(Date.now() + passedMs),
    log: { sink: { write: (line) => void logLines.push(line) }, level: logLevel },
  });
  t.after(async () => {
    await shutDownGracefully(app, 1000);
    await database.destroy();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  if (listen) await app.listen({ port, host: '127.0.0.1' });
  const advanceTime = (ms: number) => {
    passedMs += ms;
  };
  return { app, token, origin, dataDirectory, logLines, advanceTime };
}

/** Stands in for the built viewer where no browser looks. */
const STUB_VIEWER: ViewerBuild = {
  template:
    '<!doctype html><title>{{title}}</title><script type="application/json" id="framed">{{framed}}</script>',
  scriptHashes: ["'sha256-script'"],
  styleHashes: ["'sha256-style'"],
  assets: new Map([
    [
      'viewer-1.js',
      {
        contentType: 'text/javascript; charset=utf-8',
        identity: Buffer.from('plain'),
        br: Buffer.from('br'),
        gzip: Buffer.from('gzip'),
      },
    ],
  ]),
};

async function findFreePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The headers of an API request. */
export function apiHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, host: 'cloche.test' };
}
