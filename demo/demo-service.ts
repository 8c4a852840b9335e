import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ARGUMENTS, stopProcess, waitUntilReady } from '../scripts/service-process.ts';
import { findPort, isFree } from './find-port.ts';

const EXIT_WITH_PARENT = import.meta.resolve('./exit-with-parent.ts');

/** A running service, as `npm start` runs it, with a temporary folder. */
export type DemoService = AsyncDisposable & {
  origin: string;
  pid: number;
  folder: string;
  /** The token string of the bootstrap token, which has all capabilities. */
  token: string;
  /** The file with the token string. */
  tokenFile: string;
  /** Ends the service with SIGKILL. */
  kill(): Promise<void>;
};

/** What the service prints when it listens. */
const LISTENING = 'Cloche is available';

/** Starts the service on the preferred port, or on the next one that no other program takes in the meantime. */
export async function startDemoServiceNear(preferredPort: number): Promise<DemoService> {
  for (;;) {
    const port = await findPort(preferredPort, 'the service');
    try {
      return await startDemoService(port);
    } catch (error) {
      // Another program, such as a second demo, has taken the port since: it was free.
      if (await isFree(port)) throw error;
    }
  }
}

/**
 * Starts the service and waits until it is ready. Disposing stops it and removes its folder.
 *
 * @param settings further environment variables
 */
export async function startDemoService(
  port: number,
  settings: Record<string, string> = {},
): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-demo-'));
  const tokenFile = settings.CLOCHE_BOOTSTRAP_TOKEN_FILE ?? join(folder, 'bootstrap-token');
  const child = spawn(process.execPath, ['--import', EXIT_WITH_PARENT, ...SERVICE_ARGUMENTS], {
    // In its own process group, so that Ctrl+C reaches only the demo, which then stops the service.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      ...(process.env.CLOCHE_CHROMIUM && { CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM }),
      CLOCHE_PORT: String(port),
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_BOOTSTRAP_TOKEN_FILE: tokenFile,
      // Standard output is hardly used.
      CLOCHE_LOG_LEVEL: 'warn',
      CLOCHE_SHUTDOWN_TIMEOUT_SECONDS: '2',
      ...settings,
    },
  });
  const stop = async () => {
    await stopProcess(child, 'SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const origin = `http://localhost:${port}`;
    // Without it, a service of another program that has the port would answer.
    await waitUntilListening(child);
    await waitUntilReady(origin, child);
    const token = (await readFile(tokenFile, 'utf8')).trim();
    const kill = async () => void (await stopProcess(child, 'SIGKILL'));
    const pid = child.pid ?? 0;
    return { origin, pid, folder, token, tokenFile, kill, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until this process says that it listens. Its later output is discarded. */
async function waitUntilListening(child: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    // Also after a signal.
    child.once('exit', () => reject(new Error('The service did not start: see its output above')));
    child.stdout?.setEncoding('utf8').on('data', function listen(text: string) {
      output += text;
      if (!output.includes(LISTENING)) return;
      child.stdout?.off('data', listen).resume();
      resolve();
    });
  });
}
