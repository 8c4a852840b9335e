import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readdir, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SHELL } from './limit-command.ts';

// Notes. A service that runs as root runs each worker and browser as a user that no other process has at the same
// time. So jobs cannot reach each other, a limit of threads counts only those of the job, and all processes of a
// job can be found and killed.

/** systemd gives these numbers to no user, and no distribution has accounts with them: systemd.io/UIDS-GIDS. */
const USER_IDS = Array.from({ length: 14 }, (_, index) => 65_520 + index);
const RETRY_MS = 50;
/** More workers than users may be running. */
const WARN_AFTER_MS = 5000;
/** Longer than any job. */
const MAX_WAIT_MS = 15 * 60_000;
const MAX_KILL_ATTEMPTS = 100;
const KILL_PAUSE_MS = 10;

/** A user that only one job or browser of this machine has. Disposing it releases it. */
export type SandboxUser = AsyncDisposable & {
  id: number;
  /** Kills all processes of the user, also those that have left the process group. */
  killProcesses(): Promise<void>;
};

/** Where a wait for a user is logged. */
export type WaitLog = { warn(details: object, message: string): void };

/** The times and the users have defaults; tests set others. */
export type AcquireUserOptions = {
  signal?: AbortSignal | undefined;
  log?: WaitLog | undefined;
  userIds?: readonly number[];
  warnAfterMs?: number;
  maxWaitMs?: number;
};

/**
 * Waits until one of the users is free. Logs once if that takes long.
 *
 * @throws {Error} no user was free for 15 minutes
 */
export async function acquireSandboxUser({
  signal,
  log,
  userIds = USER_IDS,
  warnAfterMs = WARN_AFTER_MS,
  maxWaitMs = MAX_WAIT_MS,
}: AcquireUserOptions = {}): Promise<SandboxUser> {
  const start = performance.now();
  let hasWarned = false;
  for (;;) {
    for (const id of userIds) {
      const lock = await lockUser(id);
      if (lock) return toSandboxUser(id, lock);
    }
    const waitedMs = performance.now() - start;
    if (waitedMs >= maxWaitMs) throw new Error(describeWait(userIds, maxWaitMs));
    if (waitedMs >= warnAfterMs && !hasWarned) {
      log?.warn({ userIds }, describeWait(userIds, waitedMs));
      hasWarned = true;
    }
    await wait(RETRY_MS, undefined, { ...(signal && { signal }) });
  }
}

function describeWait(userIds: readonly number[], waitedMs: number): string {
  const users = `the ${userIds.length} users that workers and browsers run as`;
  const seconds = Math.round(waitedMs / 1000);
  return `None of ${users} was free for ${seconds} s. All services of this machine share them; CLOCHE_WORKERS limits how many a service uses.`;
}

function toSandboxUser(id: number, lock: Server): SandboxUser {
  return {
    id,
    killProcesses: () => killProcessesOf(id),
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => lock.close(resolve));
    },
  };
}

/**
 * Reserves a user by a Unix socket in the abstract namespace, to which nobody connects: several services may run on
 * this machine, and the kernel removes the socket when its process ends. Undefined if the user is taken.
 */
async function lockUser(id: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen({ path: `\0cloche-sandbox-user-${id}` });
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

/** Kills all processes of the user, and waits until their parent has noticed. In some containers, none does. */
async function killProcessesOf(id: number): Promise<void> {
  for (let attempt = 0; attempt < MAX_KILL_ATTEMPTS; attempt++) {
    if (!(await hasProcesses(id))) return;
    await sendKillSignal(id);
    await wait(KILL_PAUSE_MS);
  }
}

/** A process with another user can send signals to the processes of that user only. */
async function sendKillSignal(id: number): Promise<void> {
  // Otherwise, it would end all processes of the machine.
  if (!USER_IDS.includes(id)) throw new Error(`${id} is no user of the sandbox.`);
  const child = spawn(SHELL, ['-c', 'kill -9 -1'], {
    uid: id,
    gid: id,
    cwd: '/',
    env: {},
    stdio: 'ignore',
  });
  await once(child, 'exit');
}

/** Counts zombies too, like the limit of the number of threads. */
async function hasProcesses(id: number): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const owner = await stat(`/proc/${pid}`).catch(() => undefined);
    if (owner?.uid === id) return true;
  }
  return false;
}

/** Lets the user, and no other, read the files in a job directory. */
export async function shareInput(directory: string, userId: number): Promise<void> {
  await chown(directory, 0, userId);
  await chmod(directory, 0o750);
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.filter((entry) => entry.isFile())) {
    await chown(join(directory, entry.name), 0, userId);
    await chmod(join(directory, entry.name), 0o640);
  }
}
