import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SERVICE_ARGUMENTS } from '../../scripts/service-process.ts';
import { DiskBlobStore } from '../../server/src/blobs/disk-blob-store.ts';
import { openDatabase } from '../../server/src/startup/open-database.ts';
import { addManyDesigns } from '../../server/testing/many-designs.ts';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import type { Measurement } from '../measurement.ts';

/** The target is for this number of designs. */
export const MOVED_DESIGNS = 100_000;
const TARGET_SECONDS = 60;
/** The designs share so many small files, so that the time is that of the rows. */
const FILES = 100;

/** Moves designs from SQLite to PostgreSQL and back with `cloche-server move`. */
export async function measureMove(designs: number): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const server = resources.use(await startPostgresServer());
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'cloche-move-')));
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  await createInstallation(first, designs);
  const settings = { CLOCHE_DATA: first, CLOCHE_GRANT_KEY: '0'.repeat(64) };
  const there = await move(settings, '--to-database', server.url);
  const moved = {
    ...settings,
    CLOCHE_DATABASE_URL: server.url,
    CLOCHE_FILES: join(first, 'blobs'),
  };
  const toFiles = ['--to-files', join(second, 'blobs')];
  const back = await move(moved, '--to-database', second, ...toFiles);
  const toRow = (way: string, seconds: number): Measurement => ({
    label: `${designs} designs with ${FILES} files: moved from ${way}`,
    value: seconds,
    unit: 's',
    ...(designs === MOVED_DESIGNS && { atMost: TARGET_SECONDS }),
    detail: `${Math.round(designs / seconds)} designs per second, with the start of the command and all checks`,
  });
  return [toRow('SQLite to PostgreSQL', there), toRow('PostgreSQL to SQLite', back)];
}

async function createInstallation(dataDirectory: string, designCount: number): Promise<void> {
  const blobs = await DiskBlobStore.open(join(dataDirectory, 'blobs'));
  await using database = await openDatabase(dataDirectory);
  await addManyDesigns({ database, blobs, designCount, blobCount: FILES });
}

/** Runs the command, and returns how many seconds it took. @throws if it fails */
async function move(settings: Record<string, string>, ...args: string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [...SERVICE_ARGUMENTS, 'move', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, ...settings },
  });
  const [messages, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (exitCode !== 0) throw new Error(`cloche-server move ${args.join(' ')}: ${messages}`);
  return (performance.now() - startMs) / 1000;
}
