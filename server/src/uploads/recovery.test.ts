import assert from 'node:assert/strict';
import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fullBlobs, HeldBlobs, openFolder } from '../../testing/ground.ts';
import { openService, type Service } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask } from '../../testing/requests.ts';
import { assertProblem, begin, kept, look, metadata, piece } from '../../testing/tus.ts';
import { DiskBlobs } from '../blobs/disk.ts';
import { stop } from '../http/stop.ts';
import { Arrivals } from './arrivals.ts';
import { Locks } from './locks.ts';
import { sweepUploads } from './sweep.ts';

const BOX = makeBox();
const DAY = 24 * 60 * 60 * 1000;

/** Stops a service, opens another one in its place, and stops that too, for they have one folder. */
async function restart(
  t: TestContext,
  { app, token, folder }: Service,
  look: (service: Service) => Promise<void>,
): Promise<void> {
  await stop(app, 100);
  const service = { ...(await openService(t, { folder })), token };
  try {
    await look(service);
  } finally {
    await stop(service.app, 100);
  }
}

/** Waits until a whole upload has been finished by itself. */
async function untilFinished(service: Service): Promise<void> {
  while (!service.log.some((line) => line.includes('whole at the start'))) {
    await sleep(5);
  }
}

async function listUris(service: Service): Promise<string[]> {
  const { items } = (await ask(service, 'GET', '/v1/designs')).json();
  return items.map(({ uri }: { uri: string }) => uri);
}

test('a full disk: 507 for the last piece, 423 for who asks, a design when there is room', async (t) => {
  const disk = await DiskBlobs.open(await openFolder(t));
  const full = fullBlobs(disk);
  let now = full;
  const service = await openService(t, {
    blobs: { ...full, draft: (...given) => now.draft(...given) },
  });
  const path = await begin(service, BOX.length);
  assertProblem(await piece(service, path, BOX), 507, 'server.storage-full');
  assertProblem(await look(service, path), 423, 'upload.busy');
  assert.deepEqual(await kept(service), ['bytes', 'note']);
  now = disk;
  const { statusCode, headers } = await look(service, path);
  assert.deepEqual([statusCode, [headers['cloche-design']]], [200, await listUris(service)]);
  assert.deepEqual(await kept(service), ['note']);
});

test('204: who asks while the design is made hears of the same one', async (t) => {
  const blobs = await HeldBlobs.open(t);
  const service = await openService(t, { blobs });
  const path = await begin(service, BOX.length);
  const last = piece(service, path, BOX);
  await blobs.reached;
  const others = [look(service, path), piece(service, path, Buffer.alloc(0), BOX.length)];
  await sleep(50);
  blobs.letGo();
  const answers = await Promise.all([last, ...others]);
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [204, 200, 204],
  );
  const designs = answers.map(({ headers }) => headers['cloche-design']);
  assert.deepEqual([...new Set(designs)], await listUris(service));
});

test('stopped between the last byte and the design: finished at the next start', async (t) => {
  const first = await openService(t);
  const path = await begin(first, BOX.length, metadata({ name: 'Oak chair' }));
  await piece(first, path, BOX.subarray(0, 100));
  await stop(first.app, 100);
  // The bytes came, and the service got no further.
  await writeFile(join(first.folder, 'uploads', basename(path)), BOX);
  await restart(t, first, async (second) => {
    await untilFinished(second);
    const uris = await listUris(second);
    assert.equal(uris.length, 1);
    assert.deepEqual([(await look(second, path)).headers['cloche-design']], uris);
    assert.deepEqual(await kept(second), ['note']);
  });
});

test('stopped between the design and the note of it: no second design', async (t) => {
  const first = await openService(t);
  const path = await begin(first, BOX.length);
  const note = join(first.folder, 'uploads', `${basename(path)}.json`);
  const before = await readFile(note);
  const design = (await piece(first, path, BOX)).headers['cloche-design'];
  await stop(first.app, 100);
  await writeFile(note, before);
  await writeFile(join(first.folder, 'uploads', basename(path)), BOX);
  await restart(t, first, async (second) => {
    await untilFinished(second);
    assert.deepEqual(await listUris(second), [design]);
    assert.equal((await look(second, path)).headers['cloche-design'], design);
  });
});

test('a design that was deleted stays deleted, however often its upload is asked', async (t) => {
  const first = await openService(t);
  const path = await begin(first, BOX.length);
  const design = String((await piece(first, path, BOX)).headers['cloche-design']);
  await ask(first, 'DELETE', `/v1/designs/${design.slice('cloche:design:'.length)}`);
  await restart(t, first, async (second) => {
    assert.equal((await look(second, path)).headers['cloche-design'], design);
    assert.deepEqual(await listUris(second), []);
  });
});

test('404: the design whose revision it was to be is no more', async (t) => {
  const service = await openService(t);
  const other = await begin(service, BOX.length);
  const design = String((await piece(service, other, BOX)).headers['cloche-design']);
  const path = await begin(service, BOX.length, metadata({ design }));
  await ask(service, 'DELETE', `/v1/designs/${design.slice('cloche:design:'.length)}`);
  assertProblem(await piece(service, path, BOX), 404, 'design.unknown');
  assert.deepEqual(await listUris(service), []);
});

test('what a crash left half made is thrown away', async (t) => {
  const first = await openService(t);
  const path = await begin(first, BOX.length);
  const folder = join(first.folder, 'uploads');
  await stop(first.app, 100);
  const id = 'f'.repeat(32);
  for (const name of [id, `${'e'.repeat(32)}.json`, `${id}.json.new`]) {
    await writeFile(join(folder, name), '{');
  }
  await restart(t, first, async (second) => {
    assert.deepEqual(await kept(second), ['bytes', 'note']);
    assert.equal((await look(second, path)).statusCode, 200);
  });
});

test('what is over is swept, and those that were not finished are counted', async (t) => {
  const service = await openService(t);
  await begin(service, BOX.length);
  await piece(service, await begin(service, BOX.length), BOX);
  const arrivals = await Arrivals.open(join(service.folder, 'uploads'));
  const said: object[] = [];
  const log = { info: (facts: object) => said.push(facts), error: () => {} };
  const sweep = (ms: number) => {
    const now = () => new Date(Date.now() + ms);
    return sweepUploads({ arrivals, locks: new Locks(0), log, now });
  };
  await sweep(DAY - 60_000);
  assert.deepEqual(await kept(service), ['bytes', 'note', 'note']);
  await sweep(DAY);
  assert.deepEqual([await kept(service), said], [[], [{ swept: 1 }]]);
});

test('507: no room for a piece; what came is kept', async (t) => {
  const service = await openService(t);
  const path = await begin(service, BOX.length);
  // A device that is always full stands in for the file.
  const file = join(service.folder, 'uploads', basename(path));
  if (!(await stat('/dev/full').catch(() => undefined))) return t.skip('no /dev/full here');
  await rm(file);
  await symlink('/dev/full', file);
  assertProblem(await piece(service, path, BOX), 507, 'server.storage-full');
});
