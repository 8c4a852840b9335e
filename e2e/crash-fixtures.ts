import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  findDescendants,
  findProcessesUsing,
  listProcesses,
  type Process,
} from '@cloche/pipeline/testing/processes';
import { openServerDatabase } from '../server/testing/requests.ts';
import { ApiClient } from './api-client.ts';
import { ServiceProcess } from './service-process.ts';

export const WAIT_TIMEOUT_MS = 60_000;

/** The real service, and what is known of it from outside. */
export type CrashFixtures = {
  service: ServiceProcess;
  client: ApiClient;
  database: DatabaseSync;
  /** Workers that are not to be met twice: one that is killed is still seen for a moment. */
  seenPids: Set<number>;
};

/** Opens all of it; cleaned up with the test. */
export async function setUpCrashTest(
  t: TestContext,
  environment: NodeJS.ProcessEnv = {},
): Promise<CrashFixtures> {
  const service = await ServiceProcess.open(t, environment);
  const database = openServerDatabase(t, { dataDirectory: service.dataDirectory });
  return { service, client: await ApiClient.create(service), database, seenPids: new Set() };
}

/** Ends a process and its helpers; false when there was nobody any more. */
export function killProcessGroup({ groupId }: Process): boolean {
  try {
    return process.kill(-groupId, 'SIGKILL');
  } catch {
    return false;
  }
}

/** As a power cut: 1 when it left a job half done, else 0. Nothing that it started may outlive it. */
export async function killServiceDuringJob(
  { service, database }: CrashFixtures,
  afterMs: number,
): Promise<number> {
  let moment = afterMs;
  do {
    while (countJobs(database) > 0 && countLeasedJobs(database) === 0) await wait(5);
    await wait(moment);
    moment /= 2;
  } while (countJobs(database) > 0 && countLeasedJobs(database) === 0);
  const started = findDescendants(service.pid);
  await service.kill();
  await waitUntilEmpty('a process has outlived the service', async () => {
    const alive = listProcesses();
    const outlived = alive.filter(({ pid, command }) =>
      started.some((one) => one.pid === pid && one.command === command),
    );
    return [...outlived, ...findProcessesUsing(service.dataDirectory)];
  });
  return countLeasedJobs(database) > 0 ? 1 : 0;
}

const countLeasedJobs = (database: DatabaseSync) => countJobs(database, 'leased_until IS NOT NULL');

/** How many jobs there are. */
export function countJobs(database: DatabaseSync, which = 'true'): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM job WHERE ${which}`).get()?.n);
}

/** All are ready in the end, and what was made of them is there. */
export async function assertReady(
  { service, client }: CrashFixtures,
  ids: Iterable<string>,
): Promise<void> {
  for (const id of ids) {
    const { status, problem } = await client.waitUntilSettled(id);
    assert.equal(status, 'ready', `${problem?.detail} ${formatLoggedErrors(service)}`);
    const framed = await client.getViewerConfig(id);
    const model = await client.getArtifact(framed);
    assert.equal(model.length, framed.model.bytes);
    assert.equal(model.toString('latin1', 0, 4), 'glTF');
  }
}

/** What the service said of it, at the end of its log. */
export function formatLoggedErrors({ output }: ServiceProcess): string {
  return output
    .split('\n')
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .slice(-8)
    .join('\n');
}

/** No job, no half-made file, no process. */
export async function assertNothingLeft({
  service,
  database,
}: Pick<CrashFixtures, 'service' | 'database'>): Promise<void> {
  assert.equal(countJobs(database), 0, 'a job is left');
  await waitUntilEmpty('something is left', async () => [
    ...(await readdir(join(service.dataDirectory, 'jobs'))),
    ...(await readdir(join(service.dataDirectory, 'blobs/drafts'))),
    ...findProcessesUsing(service.dataDirectory),
  ]);
}

async function waitUntilEmpty(what: string, find: () => Promise<unknown[]>): Promise<void> {
  const deadline = Date.now() + WAIT_TIMEOUT_MS;
  for (;;) {
    const found = await find();
    if (found.length === 0) return;
    assert.ok(Date.now() < deadline, `${what}: ${JSON.stringify(found)}`);
    await wait(20);
  }
}
