import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitUntil } from './wait-until.ts';

/** The file that `npm start` runs. */
export const SERVICE_MAIN = join(import.meta.dirname, '../server/src/main.ts');

/** The arguments of Node in `npm start`. Without the flag, a signal opens a debugger. */
export const SERVICE_ARGUMENTS = ['--disable-sigusr1', SERVICE_MAIN];

/** The environment of this process that a process of a test has too. It loads the same compiled modules. */
export const SHARED_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** Generous: a busy machine takes many times as long. */
const START_TIMEOUT_MS = 120_000;

/**
 * Waits until the service accepts requests.
 *
 * @param getOutput what the process has printed, for the error message
 */
export async function waitUntilReady(
  origin: string,
  child: ChildProcess,
  getOutput = () => 'see its output above',
): Promise<void> {
  const check = async () => {
    if (hasExited(child)) throw new Error(`The service did not start: ${getOutput()}`);
    const response = await fetch(`${origin}/readyz`).catch(() => undefined);
    return response?.ok;
  };
  await waitUntil(() => `the service to be ready: ${getOutput()}`, check, {
    timeoutMs: START_TIMEOUT_MS,
  });
}

/** Sends a signal and waits for the exit; returns the exit code, or null if there is none. */
export async function stopProcess(
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<number | null> {
  if (hasExited(child)) return null;
  const exited = once(child, 'exit');
  child.kill(signal);
  const [exitCode] = await exited;
  return exitCode;
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
