import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '../server/testing/requests.ts';
import { Owner } from './owner.ts';
import { listProcesses, type Process, processesBelow, processesOf } from './processes.ts';
import { RealService } from './real-service.ts';

export const PATIENCE_MS = 60_000;

/** The real service, and what is known of it from outside. */
export type Scene = {
  service: RealService;
  owner: Owner;
  database: DatabaseSync;
  /** Workers that are not to be met twice: one that is killed is still seen for a moment. */
  met: Set<number>;
};

/** Opens all of it; cleaned up with the test. */
export async function setTheStage(
  t: TestContext,
  environment: NodeJS.ProcessEnv = {},
): Promise<Scene> {
  const service = await RealService.open(t, environment);
  const database = openDatabase(t, { folder: service.dataFolder });
  return { service, owner: await Owner.of(service), database, met: new Set() };
}

/** Ends a process and its helpers; false when there was nobody any more. */
export function killGroup({ group }: Process): boolean {
  try {
    return process.kill(-group, 'SIGKILL');
  } catch {
    return false;
  }
}

/** As a power cut: 1 when it left a job half done, else 0. Nothing that it started may outlive it. */
export async function killService({ service, database }: Scene, afterMs: number): Promise<number> {
  let moment = afterMs;
  do {
    while (count(database) > 0 && leased(database) === 0) await wait(5);
    await wait(moment);
    moment /= 2;
  } while (count(database) > 0 && leased(database) === 0);
  const started = processesBelow(service.pid);
  await service.kill();
  await eventually('a process has outlived the service', async () => {
    const alive = listProcesses();
    const outlived = alive.filter(({ pid, command }) =>
      started.some((one) => one.pid === pid && one.command === command),
    );
    return [...outlived, ...processesOf(service.dataFolder)];
  });
  return leased(database) > 0 ? 1 : 0;
}

const leased = (database: DatabaseSync) => count(database, 'leased_until IS NOT NULL');

/** How many jobs there are. */
export function count(database: DatabaseSync, which = 'true'): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM job WHERE ${which}`).get()?.n);
}

/** All are ready in the end, and what was made of them is there. */
export async function checkReady({ service, owner }: Scene, ids: Iterable<string>): Promise<void> {
  for (const id of ids) {
    const { status, problem } = await owner.settled(id);
    assert.equal(status, 'ready', `${problem?.detail} ${troubles(service)}`);
    const framed = await owner.framed(id);
    const model = await owner.artifact(framed);
    assert.equal(model.length, framed.model.bytes);
    assert.equal(model.toString('latin1', 0, 4), 'glTF');
  }
}

/** What the service said of it, at the end of its log. */
export function troubles({ output }: RealService): string {
  return output
    .split('\n')
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .slice(-8)
    .join('\n');
}

/** No job, no half-made file, no process. */
export async function checkNothingLeft({
  service,
  database,
}: Pick<Scene, 'service' | 'database'>): Promise<void> {
  assert.equal(count(database), 0, 'a job is left');
  await eventually('something is left', async () => [
    ...(await readdir(join(service.dataFolder, 'work'))),
    ...(await readdir(join(service.dataFolder, 'blobs/drafts'))),
    ...processesOf(service.dataFolder),
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
