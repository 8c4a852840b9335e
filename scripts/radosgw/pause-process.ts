import { readdirSync, readFileSync } from 'node:fs';

const POLL_MS = 1;
const TIMEOUT_MS = 10_000;

/**
 * Stops a process until it gets SIGCONT. Returns when all of its threads have stopped: on a busy machine, one that has not noticed the signal yet may
 * still answer a request.
 *
 * @throws {Error} the process does not stop, or does not exist
 */
export function pauseProcess(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  const deadline = Date.now() + TIMEOUT_MS;
  while (!isStopped(pid)) {
    if (Date.now() > deadline) throw new Error(`The process ${pid} does not stop.`);
    // Not asynchronously: what the caller does next must not happen before.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    try {
      // The state follows the name, which is in parentheses and may contain some, too.
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
    } catch {
      // The thread has ended.
      return true;
    }
  });
}
