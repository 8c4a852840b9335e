import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

/** Waits until a process is no more; the test's own timeout says how long. */
export async function waitForProcessExit(t: TestContext, pid: number): Promise<void> {
  assert.ok(pid > 1);
  t.after(() => isProcessAlive(pid) && process.kill(pid, 'SIGKILL'));
  while (isProcessAlive(pid)) await wait(10, undefined, { signal: t.signal });
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // What has died and was not collected is no process any more.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Not there to be asked.
    return false;
  }
}
