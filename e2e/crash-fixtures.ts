import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  findDescendants,
  findProcessesUsing,
  listProcesses,
  type Process,
} from '@cloche/pipeline/testing/processes';
import { waitUntil } from '../scripts/wait-until.ts';
import { openServerDatabase } from '../server/testing/requests.ts';
import { ApiClient } from './api-client.ts';
import { ServiceProcess } from './service-process.ts';

/** A running service with a client and a connection to its database. */
export type CrashFixtures = {
  service: ServiceProcess;
  client: ApiClient;
  database: DatabaseSync;
  /** Processes that a test has already found; killed ones stay in the process list for a moment. */
  seenPids: Set<number>;
};

/** Starts the service. It is stopped after the test, and its folder is removed. */
export async function setUpCrashTest(
  t: TestContext,
  environment: NodeJS.ProcessEnv = {},
): Promise<CrashFixtures> {
  const service = await ServiceProcess.open(t, environment);
  const database = openServerDatabase(t, { dataDirectory: service.dataDirectory });
  return { service, client: await ApiClient.create(service), database, seenPids: new Set() };
}

/** Kills a process group; returns false if it has already exited. */
export function killProcessGroup({ groupId }: Process): boolean {
  try {
    return process.kill(-groupId, 'SIGKILL');
  } catch {
    return false;
  }
}

/**
 * Kills the service while a job runs, `afterMs` after the job has started. Asserts that no process
 * of the service survives. Returns 1 if a job was interrupted, else 0.
 */
export async function killServiceDuringJob(
  { service, database }: CrashFixtures,
  afterMs: number,
): Promise<number> {
  let delayMs = afterMs;
  do {
    while (countJobs(database) > 0 && countLeasedJobs(database) === 0) await delay(5);
    await delay(delayMs);
    delayMs /= 2;
  } while (countJobs(database) > 0 && countLeasedJobs(database) === 0);
  const started = findDescendants(service.pid);
  await service.kill();
  await waitUntilEmpty('processes that survived the service', async () => {
    const survivors = listProcesses().filter(({ pid, command }) =>
      started.some((process) => process.pid === pid && process.command === command),
    );
    return [...survivors, ...findProcessesUsing(service.dataDirectory)];
  });
  return countLeasedJobs(database) > 0 ? 1 : 0;
}

const countLeasedJobs = (database: DatabaseSync) => countJobs(database, 'leased_until IS NOT NULL');

/** Counts the jobs that match an SQL condition. */
export function countJobs(database: DatabaseSync, condition = 'true'): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM job WHERE ${condition}`).get()?.n);
}

/** Asserts that all designs become ready and that their models can be downloaded. */
export async function assertReady(
  { service, client }: CrashFixtures,
  ids: Iterable<string>,
): Promise<void> {
  for (const id of ids) {
    const { status, problem } = await client.waitUntilSettled(id);
    assert.equal(status, 'ready', `${problem?.detail} ${formatLoggedErrors(service)}`);
    const config = await client.getViewerConfig(id);
    const model = await client.getArtifact(config);
    assert.equal(model.length, config.model.bytes);
    assert.equal(model.toString('latin1', 0, 4), 'glTF');
  }
}

/** The last warnings and errors in the log of the service. */
export function formatLoggedErrors({ output }: ServiceProcess): string {
  return output
    .split('\n')
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .slice(-8)
    .join('\n');
}

/** Asserts that no job, temporary file or process is left. */
export async function assertNothingLeft({
  service,
  database,
}: Pick<CrashFixtures, 'service' | 'database'>): Promise<void> {
  assert.equal(countJobs(database), 0, 'jobs are left');
  await waitUntilEmpty('files or processes that are left', async () => [
    ...(await readdir(join(service.dataDirectory, 'jobs'))),
    ...(await readdir(join(service.dataDirectory, 'blobs/drafts'))),
    ...findProcessesUsing(service.dataDirectory),
  ]);
}

async function waitUntilEmpty(description: string, list: () => Promise<unknown[]>): Promise<void> {
  let items: unknown[] = [];
  await waitUntil(
    () => `${description}: ${JSON.stringify(items)}`,
    async () => {
      items = await list();
      return items.length === 0;
    },
  );
}
