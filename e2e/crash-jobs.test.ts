import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeBox } from '../server/testing/models.ts';
import {
  checkNothingLeft,
  checkReady,
  count,
  killGroup,
  killService,
  type Scene,
  setTheStage,
} from './crash-scene.ts';
import type { Owner } from './owner.ts';
import { processesBelow } from './processes.ts';
import { ROUNDS } from './rounds.ts';

const AT_ONCE = 2;
const skip = !existsSync('/proc/self/stat');

/** What was acknowledged: it must be there, whatever was killed. */
type Acknowledged = Map<string, Buffer>;

describe('kill -9 in the middle of jobs', { skip, concurrency: true }, () => {
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
      await checkReady(scene, sent.keys());
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
    const worker = processesBelow(service.pid).find(
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
