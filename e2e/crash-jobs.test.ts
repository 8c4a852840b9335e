import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
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

/** Source files by design id. An acknowledged design must survive every crash. */
type AcknowledgedDesigns = Map<string, Buffer>;

describe('kill -9 during jobs', { skip, concurrency: true }, () => {
  it('of a worker and then of the service: all designs become ready, and nothing is left over', async (t) => {
    const fixtures = await setUpCrashTest(t);
    const { service, client } = fixtures;
    // The first job is slower than the following ones.
    let jobMs = Math.min(await measureJobMs(client), await measureJobMs(client));
    const acknowledged: AcknowledgedDesigns = new Map();
    let workers = 0;
    let services = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const uploaded = await uploadDesigns(client, round);
      // The kills are spread over the duration of a job, in opposite directions.
      const fraction = (round + Math.random()) / ROUNDS;
      workers += await killNextWorker(fixtures, fraction * jobMs);
      services += await killServiceDuringJob(fixtures, (1 - fraction) * jobMs);
      await service.start();
      await assertReady(fixtures, uploaded.keys());
      // The machine may have been busy before.
      jobMs = Math.min(jobMs, await measureJobMs(client));
      for (const [id, bytes] of uploaded) acknowledged.set(id, bytes);
    }
    for (const [id, bytes] of acknowledged) {
      assert.ok(
        (await client.getSourceFile(id)).equals(bytes),
        `the source file of ${id} is damaged`,
      );
    }
    await assertNothingLeft(fixtures);
    t.diagnostic(
      `${ROUNDS} rounds, ${Math.round(jobMs)} ms per job, ${acknowledged.size} designs ready; killed during jobs: ` +
        `${workers} workers, ${services} services`,
    );
    assert.ok(workers > 0 && services > 0, 'no kill happened during a job');
  });

  it('of every worker of a design: the design fails with an explanation, and nothing is left over', async (t) => {
    const fixtures = await setUpCrashTest(t);
    const { client } = fixtures;
    const { id } = (await client.upload(makeBox(), { waitS: 0 })).body;
    for (const _ of [1, 2, 3]) assert.equal(await killNextWorker(fixtures, 0), 1);
    const { status, problem } = await client.waitUntilSettled(id);
    assert.deepEqual([status, problem?.code], ['failed', 'design.failed']);
    assert.match(problem?.detail ?? '', /\(SIGKILL\).*Upload the file again later/);
    await assertNothingLeft(fixtures);
    const secondUpload = await client.upload(makeBox(), { path: `/v1/designs/${id}/model` });
    assert.equal(secondUpload.body.status, 'ready');
  });
});

async function measureJobMs(client: ApiClient): Promise<number> {
  const start = performance.now();
  assert.equal((await client.upload(makeBox())).body.status, 'ready');
  return performance.now() - start;
}

async function uploadDesigns(client: ApiClient, round: number): Promise<AcknowledgedDesigns> {
  const designs: AcknowledgedDesigns = new Map();
  for (let index = 0; index < UPLOADS_PER_ROUND; index += 1) {
    const bytes = makeBox({ name: `${round}-${index}`, textured: true, spinning: true });
    const { status, body } = await client.upload(bytes, { waitS: 0 });
    assert.equal(status, 201);
    designs.set(body.id, bytes);
  }
  return designs;
}

/** Kills the process group of the next worker, `afterMs` after its start; returns 0 if no job is left, else 1. */
async function killNextWorker(
  { service, database, seenPids }: CrashFixtures,
  afterMs: number,
): Promise<number> {
  const folder = join(service.dataDirectory, 'jobs');
  let delayMs = afterMs;
  while (countJobs(database) > 0) {
    const worker = findDescendants(service.pid).find(
      ({ pid, groupId, cwd }) => pid === groupId && cwd.startsWith(folder) && !seenPids.has(pid),
    );
    if (worker === undefined) {
      await delay(25);
      continue;
    }
    seenPids.add(worker.pid);
    await delay(delayMs);
    if (killProcessGroup(worker)) return 1;
    // It has already exited: kill the next one sooner.
    delayMs /= 2;
  }
  return 0;
}
