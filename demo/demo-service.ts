import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN_PATH = join(import.meta.dirname, '../server/src/main.ts');
const EXIT_WITH_PARENT = import.meta.resolve('./exit-with-parent.ts');
const START_TIMEOUT_MS = 30_000;

/** The real service, as `npm start` runs it, in a process and a folder of its own. */
export type DemoService = AsyncDisposable & {
  origin: string;
  folder: string;
  /** The bootstrap token: it can read, write and embed. */
  token: string;
  /** The file that the service wrote it to. */
  tokenFile: string;
};

/** Starts the service and waits until it is ready. Disposing stops it and removes its folder. */
export async function startDemoService(port: number): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-demo-'));
  const tokenFile = join(folder, 'bootstrap-token');
  const child = spawn(process.execPath, ['--import', EXIT_WITH_PARENT, MAIN_PATH], {
    // A group of its own: Ctrl+C reaches this process, which then stops the service in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      ...(process.env.CLOCHE_CHROMIUM && { CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM }),
      CLOCHE_PORT: String(port),
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_BOOTSTRAP_TOKEN_FILE: tokenFile,
      // Nobody reads its standard output.
      CLOCHE_LOG_LEVEL: 'warn',
      CLOCHE_SHUTDOWN_TIMEOUT_SECONDS: '2',
    },
  });
  const stop = async () => {
    await stopProcess(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const origin = `http://localhost:${port}`;
    await waitUntilReady(origin, child);
    const token = (await readFile(tokenFile, 'utf8')).trim();
    return { origin, folder, token, tokenFile, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitUntilReady(origin: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('The service did not start; its reason is above.');
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`The service was not ready after ${START_TIMEOUT_MS / 1000} s.`);
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
