import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findDescendants } from '@cloche/pipeline/testing/processes';
import type { ApiClient } from './api-client.ts';
import {
  assertNothingLeft,
  assertReady,
  type CrashFixtures,
  countJobs,
  killProcessGroup,
  killServiceDuringJob,
  setUpCrashTest,
} from './crash-fixtures.ts';
import { ROUNDS } from './rounds.ts';

const UPLOADS_PER_ROUND = 2;
const skip = !existsSync('/proc/self/stat');

/** What was acknowledged: it must be there, whatever was killed. */
type AcknowledgedDesigns = Map<string, Buffer>;

describe('kill -9 in the middle of jobs', { skip, concurrency: true }, () => {
  it('of a worker and then of the service: all are ready, and nothing is left over', async (t) => {
    const scene = await setUpCrashTest(t);
    const { service, client } = scene;
    // The first is slower than any other.
    const jobMs = Math.min(await measureJobMs(client), await measureJobMs(client));
    const done: AcknowledgedDesigns = new Map();
    let workers = 0;
    let services = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const sent = await uploadDesigns(client, round);
      // Spread over the job, the one forwards and the other backwards.
      const moment = (round + Math.random()) / ROUNDS;
      workers += await killNextWorker(scene, moment * jobMs);
      services += await killServiceDuringJob(scene, (1 - moment) * jobMs);
      await service.start();
      await assertReady(scene, sent.keys());
      for (const [id, bytes] of sent) done.set(id, bytes);
    }
    for (const [id, bytes] of done) {
      assert.ok((await client.getSourceFile(id)).equals(bytes), `the file of ${id} is damaged`);
    }
    await assertNothingLeft(scene);
    t.diagnostic(
      `${ROUNDS} rounds, a job of ${Math.round(jobMs)} ms, ${done.size} designs ready; killed at work: ` +
        `${workers} workers, ${services} times the service`,
    );
    assert.ok(workers > 0 && services > 0, 'no kill came in the middle of a job');
  });

  it('of every worker of a design: it is failed, in words, and nothing is left over', async (t) => {
    const scene = await setUpCrashTest(t);
    const { client } = scene;
    const { id } = (await client.upload(makeBox(), { waitS: 0 })).body;
    for (const _ of [1, 2, 3]) assert.equal(await killNextWorker(scene, 0), 1);
    const { status, problem } = await client.waitUntilSettled(id);
    assert.deepEqual([status, problem?.code], ['failed', 'design.failed']);
    assert.match(problem?.detail ?? '', /Send it again/);
    await assertNothingLeft(scene);
    const again = await client.upload(makeBox(), { path: `/v1/designs/${id}/model` });
    assert.equal(again.body.status, 'ready');
  });
});

async function measureJobMs(owner: ApiClient): Promise<number> {
  const start = performance.now();
  assert.equal((await owner.upload(makeBox())).body.status, 'ready');
  return performance.now() - start;
}

async function uploadDesigns(owner: ApiClient, round: number): Promise<AcknowledgedDesigns> {
  const sent: AcknowledgedDesigns = new Map();
  for (let one = 0; one < UPLOADS_PER_ROUND; one += 1) {
    const bytes = makeBox({ name: `${round}-${one}`, textured: true, spinning: true });
    const { status, body } = await owner.upload(bytes, { waitS: 0 });
    assert.equal(status, 201);
    sent.set(body.id, bytes);
  }
  return sent;
}

/** Ends the next worker with all of its group, some time after it has begun: 1; 0 when no job is left. */
async function killNextWorker(
  { service, database, seenPids }: CrashFixtures,
  afterMs: number,
): Promise<number> {
  const folder = join(service.dataDirectory, 'jobs');
  let moment = afterMs;
  while (countJobs(database) > 0) {
    const worker = findDescendants(service.pid).find(
      ({ pid, groupId, cwd }) => pid === groupId && cwd.startsWith(folder) && !seenPids.has(pid),
    );
    if (worker === undefined) {
      await wait(25);
      continue;
    }
    seenPids.add(worker.pid);
    await wait(moment);
    if (killProcessGroup(worker)) return 1;
    // It has ended already: the next is killed sooner.
    moment /= 2;
  }
  return 0;
}
