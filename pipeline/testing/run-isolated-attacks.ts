import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { SandboxLevel, SandboxReport } from '../src/sandbox/sandbox-report.ts';
import { type AttackEffect, SECRET, STARTED, type WorkerAttack } from './attacks/attack.ts';
import {
  type AttackedService,
  listEffects,
  prepareAttack,
  spawnService,
  waitForEffect,
} from './run-attack.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

const SERVICE = join(import.meta.dirname, 'isolated-service.ts');

const EFFECTS_ON_THE_SERVICE: ReadonlySet<AttackEffect> = new Set([
  'service killed',
  'service slowed down',
  'inspector opened',
]);

/** How the attacked service runs. */
export type ServiceOptions = {
  level: SandboxLevel | 'auto';
  /** The user and group of the service. Default: that of this process. */
  userId?: number;
  /** A program that starts the service, with its arguments. */
  startedBy?: readonly string[];
};

type IsolatedService = AttackedService & { report: SandboxReport };

/** Opens a service and returns the report of its sandbox. */
export async function readReport(t: TestContext, options: ServiceOptions): Promise<SandboxReport> {
  return (await openService(t, options)).report;
}

/**
 * Runs the attacks one after another in workers of a service, which is started again after an attack on it. Returns
 * the names of the attacks that had an effect.
 *
 * @param expected the names of attacks that must have an effect
 */
export async function runIsolatedAttacks(
  t: TestContext,
  attacks: readonly WorkerAttack[],
  options: ServiceOptions,
  expected: ReadonlySet<string>,
): Promise<string[]> {
  const successful: string[] = [];
  let service: IsolatedService | undefined;
  for (const attack of attacks) {
    service ??= await openService(t, options);
    const prepared = await prepareAttack(t, attack);
    if (options.userId !== undefined) giveTo(options.userId, prepared.directory);
    service.child.send(prepared.jobDirectory);
    const [message] = await waitForMessage(service);
    const started = existsSync(join(prepared.jobDirectory, STARTED));
    // Without a message, the attack has ended the service.
    if (message) assert.ok(started, `${attack.name}: ${message.output}`);
    const effects = expected.has(attack.name)
      ? await waitForEffect(attack, service, prepared)
      : await listEffects(service, prepared);
    if (effects.length > 0) successful.push(attack.name);
    if (!effects.some((effect) => EFFECTS_ON_THE_SERVICE.has(effect))) continue;
    service.child.kill('SIGKILL');
    service = undefined;
  }
  service?.child.kill('SIGKILL');
  return successful;
}

async function openService(
  t: TestContext,
  { level, userId, startedBy = [] }: ServiceOptions,
): Promise<IsolatedService> {
  const directory = await openTemporaryDirectory(t);
  const secretFile = join(directory, 'secret');
  await writeFile(secretFile, SECRET);
  if (userId !== undefined) giveTo(userId, directory);
  // As `npm start` does.
  const command = [process.execPath, '--disable-sigusr1', SERVICE, level, secretFile];
  const user = userId === undefined ? {} : { uid: userId, gid: userId };
  const service = spawnService(t, [...startedBy, ...command], user);
  const [message] = await waitForMessage(service);
  assert.ok(message, service.errorOutput);
  return Object.assign(service, message as { pid: number; report: SandboxReport });
}

/** Returns an array without a message if the service was killed. */
async function waitForMessage({
  child,
}: AttackedService): Promise<{ output?: string; pid?: number }[]> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    const exited = once(child, 'exit', { signal }).then(() => []);
    return await Promise.race([once(child, 'message', { signal }), exited]);
  } finally {
    waiting.abort();
  }
}

function giveTo(userId: number, directory: string): void {
  execFileSync('chown', ['-R', `${userId}:${userId}`, directory]);
}
