import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeBox } from '../server/testing/models.ts';
import { openDatabase } from '../server/testing/requests.ts';
import { Owner } from './owner.ts';
import { listProcesses, type Process, processesBelow, processesOf } from './processes.ts';
import { RealService } from './real-service.ts';
import { ROUNDS } from './rounds.ts';

const AT_ONCE = 3;
const PATIENCE_MS = 60_000;

/** What was acknowledged: it must be there, whatever was killed. */
type Acknowledged = Map<string, Buffer>;

describe('kill -9 in the middle of jobs', { skip: !existsSync('/proc/self/stat') }, () => {
  it('of a worker and then of the service: all are ready, and nothing is left over', async (t) => {
    const scene = await setTheStage(t);
    const { service, owner } = scene;
    // The first is slower than any other.
    const jobMs = Math.min(await timeJob(owner), await timeJob(owner));
    const done: Acknowledged = new Map();
    let workers = 0;
    let services = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const sent = await sendSome(owner, round);
      // Spread over the job, the one forwards and the other backwards.
      const moment = (round + Math.random()) / ROUNDS;
      workers += await killWorker(scene, moment * jobMs);
      services += await killService(scene, (1 - moment) * jobMs);
      await service.start();
      await checkReady(scene, sent);
      for (const [id, bytes] of sent) done.set(id, bytes);
    }
    for (const [id, bytes] of done) {
      assert.ok((await owner.source(id)).equals(bytes), `the file of ${id} is damaged`);
    }
    await checkNothingLeft(scene);
    t.diagnostic(
      `${ROUNDS} rounds, a job of ${Math.round(jobMs)} ms, ${done.size} designs ready; killed at work: ` +
        `${workers} workers, ${services} times the service`,
    );
    assert.ok(workers > 0 && services > 0, 'no kill came in the middle of a job');
  });

  it('of every worker of a design: it is failed, in words, and nothing is left over', async (t) => {
    const scene = await setTheStage(t);
    const { owner } = scene;
    const { id } = (await owner.send(makeBox(), { waitS: 0 })).view;
    for (const _ of [1, 2, 3]) assert.equal(await killWorker(scene, 0), 1);
    const { status, problem } = await owner.settled(id);
    assert.deepEqual([status, problem?.code], ['failed', 'design.failed']);
    assert.match(problem?.detail ?? '', /Send it again/);
    await checkNothingLeft(scene);
    const again = await owner.send(makeBox(), { path: `/v1/designs/${id}/model` });
    assert.equal(again.view.status, 'ready');
  });
});

type Scene = {
  service: RealService;
  owner: Owner;
  database: DatabaseSync;
  /** Workers that are not to be met twice: one that is killed is still seen for a moment. */
  met: Set<number>;
};

async function setTheStage(t: TestContext): Promise<Scene> {
  const service = await RealService.open(t);
  const database = openDatabase(t, { folder: service.dataFolder });
  return { service, owner: await Owner.of(service), database, met: new Set() };
}

async function timeJob(owner: Owner): Promise<number> {
  const start = performance.now();
  assert.equal((await owner.send(makeBox())).view.status, 'ready');
  return performance.now() - start;
}

async function sendSome(owner: Owner, round: number): Promise<Acknowledged> {
  const sent: Acknowledged = new Map();
  for (let one = 0; one < AT_ONCE; one += 1) {
    const bytes = makeBox({ name: `${round}-${one}`, textured: true, spinning: true });
    const { status, view } = await owner.send(bytes, { waitS: 0 });
    assert.equal(status, 201);
    sent.set(view.id, bytes);
  }
  return sent;
}

/** Ends the next worker with all of its group, some time after it has begun: 1; 0 when no job is left. */
async function killWorker({ service, database, met }: Scene, afterMs: number): Promise<number> {
  const folder = join(service.dataFolder, 'work');
  let moment = afterMs;
  while (count(database) > 0) {
    const worker = (await processesBelow(service.pid)).find(
      ({ pid, group, cwd }) => pid === group && cwd.startsWith(folder) && !met.has(pid),
    );
    if (worker === undefined) {
      await wait(25);
      continue;
    }
    met.add(worker.pid);
    await wait(moment);
    if (killGroup(worker)) return 1;
    // It has ended already: the next is killed sooner.
    moment /= 2;
  }
  return 0;
}

function killGroup({ group }: Process): boolean {
  try {
    return process.kill(-group, 'SIGKILL');
  } catch {
    return false;
  }
}

/** As a power cut: 1 when it left a job half done, else 0. Nothing that it started may outlive it. */
async function killService({ service, database }: Scene, afterMs: number): Promise<number> {
  let moment = afterMs;
  do {
    while (count(database) > 0 && leased(database) === 0) await wait(5);
    await wait(moment);
    moment /= 2;
  } while (count(database) > 0 && leased(database) === 0);
  const started = await processesBelow(service.pid);
  await service.kill();
  await eventually('a process has outlived the service', async () => {
    const alive = await listProcesses();
    const outlived = alive.filter(({ pid, command }) =>
      started.some((one) => one.pid === pid && one.command === command),
    );
    return [...outlived, ...(await processesOf(service.dataFolder))];
  });
  return leased(database) > 0 ? 1 : 0;
}

const leased = (database: DatabaseSync) => count(database, 'leased_until IS NOT NULL');

function count(database: DatabaseSync, which = 'true'): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM job WHERE ${which}`).get()?.n);
}

async function checkReady({ service, owner }: Scene, sent: Acknowledged): Promise<void> {
  for (const id of sent.keys()) {
    const { status, problem } = await owner.settled(id);
    assert.equal(status, 'ready', `${problem?.detail} ${troubles(service)}`);
    const framed = await owner.framed(id);
    const model = await owner.artifact(framed);
    assert.equal(model.length, framed.model.bytes);
    assert.equal(model.toString('latin1', 0, 4), 'glTF');
  }
}

/** What the service said of it, at the end of its log. */
function troubles({ output }: RealService): string {
  return output
    .split('\n')
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .slice(-8)
    .join('\n');
}

async function checkNothingLeft({ service, database }: Scene): Promise<void> {
  assert.equal(count(database), 0, 'a job is left');
  await eventually('something is left', async () => [
    ...(await readdir(join(service.dataFolder, 'work'))),
    ...(await readdir(join(service.dataFolder, 'blobs/drafts'))),
    ...(await processesOf(service.dataFolder)),
  ]);
}

async function eventually(what: string, find: () => Promise<unknown[]>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await find();
    if (found.length === 0) return;
    assert.ok(Date.now() < deadline, `${what}: ${JSON.stringify(found)}`);
    await wait(20);
  }
}
