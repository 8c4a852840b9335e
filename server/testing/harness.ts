import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type App, buildApp, type Ground, type Workshop } from '../src/app.ts';
import { DiskBlobs } from '../src/blobs/disk.ts';
import { migrate } from '../src/database/migrate.ts';
import { openSqlite } from '../src/database/sqlite.ts';
import type { ViewerFiles } from '../src/embed/viewer-files.ts';
import { stop } from '../src/http/stop.ts';
import { makeFirstUser } from '../src/tokens/first.ts';
import { Arrivals } from '../src/uploads/arrivals.ts';
import { plainWorkshop } from './workshop.ts';

/** A whole service with a database and a folder of its own, closed with the test. */
export type Service = {
  app: App;
  /** The first token: reads, writes, embeds. */
  token: string;
  origin: string;
  folder: string;
  /** Every log line so far. */
  log: string[];
  /** Moves the clock of the service. */
  pass(ms: number): void;
};

export type Wishes = Partial<Omit<Ground, 'now' | 'log' | 'workshop'>> & {
  listen?: boolean;
  logLevel?: string;
  /** Where models are made of uploads, when not as they are. */
  workshop?: Partial<Workshop>;
  /** The folder of a service that was: its database is opened again. */
  folder?: string;
};

/** Opens a service. With `listen` it has a port of its own on 127.0.0.1, and `origin` names it. */
export async function openService(t: TestContext, wishes: Wishes = {}): Promise<Service> {
  const { listen = false, logLevel = 'info', workshop, folder: known, ...ground } = wishes;
  const folder = known ?? (await mkdtemp(join(tmpdir(), 'cloche-')));
  const database = openSqlite(join(folder, 'cloche.sqlite'));
  await migrate(database);
  let token = '';
  await makeFirstUser(database, new Date(), async (text) => {
    token = text;
  });

  const plain = plainWorkshop(folder);
  const log: string[] = [];
  let passedMs = 0;
  const port = listen ? await freePort() : 80;
  const origin = listen ? `http://cloche.test:${port}` : 'http://cloche.test';
  const app = await buildApp({
    database,
    blobs: await DiskBlobs.open(join(folder, 'blobs')),
    arrivals: await Arrivals.open(join(folder, 'uploads')),
    viewer: PLAIN_VIEWER,
    publicUrl: origin,
    grantKey: Buffer.alloc(32, 7),
    maxUploadBytes: 8 * 1024 * 1024,
    ...ground,
    workshop: { ...plain, ...workshop },
    now: () => new Date(Date.now() + passedMs),
    log: { sink: { write: (line) => void log.push(line) }, level: logLevel },
  });
  t.after(async () => {
    await stop(app, 1000);
    await database.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  if (listen) await app.listen({ port, host: '127.0.0.1' });
  const pass = (ms: number) => {
    passedMs += ms;
  };
  return { app, token, origin, folder, log, pass };
}

/** Stands in for the built viewer where no browser looks. */
const PLAIN_VIEWER: ViewerFiles = {
  page: '<!doctype html><title>{{title}}</title><script type="application/json" id="framed">{{framed}}</script>',
  scriptHashes: ["'sha256-script'"],
  styleHashes: ["'sha256-style'"],
  assets: new Map([
    [
      'viewer-1.js',
      {
        type: 'text/javascript; charset=utf-8',
        plain: Buffer.from('plain'),
        br: Buffer.from('br'),
        gzip: Buffer.from('gzip'),
      },
    ],
  ]),
};

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The headers of an API request. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, host: 'cloche.test' };
}
