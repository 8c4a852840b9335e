import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { events, GLB, read, shown } from '../../testing/designs.ts';
import { openFolder } from '../../testing/ground.ts';
import { openService } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, openDatabase, upload } from '../../testing/requests.ts';
import { heldMaker, leaveAsItIs } from '../../testing/workshop.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { DiskBlobs } from '../blobs/disk.ts';
import type { Maker, Outcome } from '../pipeline/maker.ts';

const NOW = { ...GLB, prefer: '' };
const CHANCE: Outcome = { ok: false, code: 'design.failed', detail: 'Crashed.', retry: true };

test('201: the answer does not wait for processing, unless it is asked to', async (t) => {
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker } });
  const first = await ask(service, 'POST', '/v1/designs', makeBox(), NOW);
  assert.equal(first.statusCode, 201);
  const { id, status, revision, stats } = first.json();
  assert.deepEqual([status, revision, stats], ['queued', null, null]);

  await held.begun;
  const under = await read(service, id);
  assert.equal(under.status, 'processing');
  assert.deepEqual(under.progress, { step: 'textures', percent: 43 });
  assert.equal((await ask(service, 'GET', `/v1/designs/${id}/model`)).statusCode, 200);

  const short = await ask(service, 'POST', '/v1/designs', makeBox(), { ...GLB, prefer: 'wait=1' });
  assert.equal(short.headers['preference-applied'], 'wait=1');
  assert.notEqual(short.json().status, 'ready');
  held.letGo();
  const whole = await ask(service, 'POST', '/v1/designs', makeBox(), { ...GLB, prefer: 'wait=60' });
  assert.equal(whole.json().status, 'ready');
  assert.equal(whole.json().progress, null);
});

test('200: events tell steps as they happen, and end with the design', async (t) => {
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker } });
  const { id } = (await ask(service, 'POST', '/v1/designs', makeBox(), NOW)).json();
  await held.begun;
  const heard = events(service, id);
  setTimeout(held.letGo, 50);
  const all = await heard;
  const progress = all.filter(([name]) => name === 'progress').map(([, data]) => data);
  assert.deepEqual(progress[0], { step: 'textures', percent: 43 });
  const designs = all.filter(([name]) => name === 'design').map(([, data]) => data as never);
  assert.deepEqual(
    designs.map(({ status }) => status),
    ['processing', 'ready'],
  );
  assert.deepEqual(designs.at(-1), await read(service, id));
  assert.deepEqual(
    (await events(service, id)).map(([name]) => name),
    ['design'],
    'what is over',
  );
});

test('404: the events of what is not there', async (t) => {
  const service = await openService(t);
  const nobody = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
  const answer = await ask(service, 'GET', `/v1/designs/${nobody}/events`);
  assert.equal(answer.json().code, 'design.unknown');
});

test('503: a frame that is opened too early tries again, and then shows', async (t) => {
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker } });
  const { id } = (await ask(service, 'POST', '/v1/designs', makeBox(), NOW)).json();
  const early = (await shown(service, id)).answer;
  assert.equal(early.statusCode, 503);
  assert.equal(early.headers.refresh, '3');
  assert.match(early.body, /being prepared/);
  held.letGo();
  await events(service, id);
  assert.equal((await shown(service, id)).answer.statusCode, 200);
});

test('who waits is answered when the service stops, with the design as it is', async (t) => {
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker } });
  const answer = ask(service, 'POST', '/v1/designs', makeBox(), { ...GLB, prefer: 'wait=60' });
  await held.begun;
  await service.app.close();
  assert.equal((await answer).statusCode, 201);
  assert.notEqual((await answer).json().status, 'ready');
});

test('what breaks off by chance is tried again', async (t) => {
  const outcomes = [CHANCE];
  const maker: Maker = {
    run: async (...given) => outcomes.shift() ?? leaveAsItIs.run(...given),
  };
  const service = await openService(t, { workshop: { maker } });
  assert.equal((await upload(service)).status, 'ready');
  assert.deepEqual(outcomes, []);
});

test('what breaks off every time is failed after three attempts, and nothing is stuck', async (t) => {
  let runs = 0;
  const maker: Maker = {
    run: async () => {
      runs += 1;
      throw new Error('out of luck');
    },
  };
  const service = await openService(t, { workshop: { maker } });
  const design = await upload(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'design.failed');
  assert.equal(runs, 3);
  const database = openDatabase(t, service);
  assert.equal(database.prepare('SELECT count(*) AS n FROM job').get()?.n, 0);
  assert.deepEqual(await readdir(join(service.folder, 'work')), []);
  const { answer } = await shown(service, design.id);
  assert.equal(answer.statusCode, 422);
  assert.match(answer.body, /could not be processed/);
});

test('what was begun when the service stopped is ready after the next start', async (t) => {
  const folder = await openFolder(t);
  const blobs = await DiskBlobs.open(join(folder, 'blobs'));
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker }, blobs });
  const { id } = (await ask(service, 'POST', '/v1/designs', makeBox(), NOW)).json();
  await held.begun;
  await service.app.close();

  const database = openDatabase(t, service);
  const row = database.prepare('SELECT attempts, leased_until FROM job').get();
  assert.deepEqual({ ...row }, { attempts: 0, leased_until: null }, 'as if never begun');
  // As kill -9 leaves it: begun, with a lease that nobody will renew.
  database.exec(`UPDATE job SET attempts = 1, leased_until = '2999-01-01T00:00:00.000Z'`);
  const opened = await openService(t, { blobs, folder: service.folder });
  const second = { ...opened, token: service.token };
  await events(second, id);
  assert.equal((await read(second, id)).status, 'ready');
});

test('a design that is deleted while it is processed leaves nothing', async (t) => {
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker } });
  const { id } = (await ask(service, 'POST', '/v1/designs', makeBox(), NOW)).json();
  await held.begun;
  assert.equal((await ask(service, 'DELETE', `/v1/designs/${id}`)).statusCode, 204);
  const work = join(service.folder, 'work');
  while ((await readdir(work)).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const database = openDatabase(t, service);
  assert.equal(
    database.prepare('SELECT count(*) AS n FROM revision WHERE design_id = ?').get(id)?.n,
    0,
  );
});

test('what a maker makes is checked as if a stranger had sent it', async (t) => {
  const spoiled: Maker = {
    async run(folder) {
      await writeFile(join(folder, 'out', 'model.glb'), makeBox().subarray(0, 700));
      return { ok: true, report: REPORT };
    },
  };
  const service = await openService(t, { workshop: { maker: spoiled } });
  const design = await upload(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'design.failed');
});

const REPORT = {
  before: {
    ...{ bytes: 1, triangles: 0, vertices: 0, nodes: 0, meshes: 0 },
    ...{ materials: 0, textures: 0, animations: 0, variants: 0 },
  },
  steps: [],
  warnings: [],
};

test('a disk that fills up in the middle: tried again, then failed, and the room given back', async (t) => {
  const folder = await openFolder(t);
  const inner = await DiskBlobs.open(join(folder, 'blobs'));
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const blobs: Blobs = {
    draft: async (bytes, options) => {
      const draft = await inner.draft(bytes, options);
      // The upload fits, what is made of it does not.
      if (isFull) {
        await draft[Symbol.asyncDispose]();
        return inner.draft(failing(full), options);
      }
      isFull = true;
      return draft;
    },
    open: (...given) => inner.open(...given),
    read: (...given) => inner.read(...given),
    copy: (...given) => inner.copy(...given),
    remove: (...given) => inner.remove(...given),
    list: () => inner.list(),
  };
  let isFull = false;
  const service = await openService(t, { blobs });
  const design = await upload(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'server.storage-full');
  assert.deepEqual(await readdir(join(folder, 'blobs', 'drafts')), []);
  assert.deepEqual(await readdir(join(service.folder, 'work')), []);
});

// biome-ignore lint/correctness/useYield: a stream that fails at its first byte
async function* failing(error: Error): AsyncGenerator<Uint8Array> {
  throw error;
}

test('503: a queue that is full takes nothing more, and says when to come again', async (t) => {
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker, queue: 2 } });
  for (const _ of [1, 2]) await ask(service, 'POST', '/v1/designs', makeBox(), NOW);
  const third = await ask(service, 'POST', '/v1/designs', makeBox(), NOW);
  assert.equal(third.statusCode, 503);
  assert.equal(third.headers['retry-after'], '10');
  assert.equal((await ask(service, 'GET', '/v1/designs')).json().items.length, 2);
  held.letGo();
});

test('what is set about models reaches whoever makes them', async (t) => {
  let task: { options?: object } = {};
  const maker: Maker = {
    async run(folder, options) {
      task = JSON.parse(await readFile(join(folder, 'task.json'), 'utf8'));
      return leaveAsItIs.run(folder, options);
    },
  };
  const options = { maxTextureSize: 512 };
  const service = await openService(t, { workshop: { maker, options } });
  await upload(service, 'chair');
  assert.deepEqual(task.options, options);
});
