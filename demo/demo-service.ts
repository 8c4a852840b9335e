import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ARGUMENTS, stopProcess, waitUntilReady } from '../scripts/service-process.ts';

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
};

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
  const tokenFile = join(folder, 'bootstrap-token');
  const child = spawn(process.execPath, ['--import', EXIT_WITH_PARENT, ...SERVICE_ARGUMENTS], {
    // In its own process group, so that Ctrl+C reaches only the demo, which then stops the service.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      ...(process.env.CLOCHE_CHROMIUM && { CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM }),
      CLOCHE_PORT: String(port),
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_BOOTSTRAP_TOKEN_FILE: tokenFile,
      // Standard output is not read.
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
    await waitUntilReady(origin, child);
    const token = (await readFile(tokenFile, 'utf8')).trim();
    return { origin, pid: child.pid ?? 0, folder, token, tokenFile, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
