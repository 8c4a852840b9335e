import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { detectIsolation } from '../sandbox/isolation.ts';
import { getDefaultLimits } from '../sandbox/limits.ts';
import { onExit } from '../sandbox/on-exit.ts';
import { sanitizeText } from '../sandbox/sanitize-text.ts';
import { CdpClient } from './cdp-client.ts';
import type { BrowserExecutable } from './find-browsers.ts';

/** A browser that runs. Disposing leaves no process of it behind. */
export type RunningBrowser = AsyncDisposable & {
  cdp: CdpClient;
  pid: number;
};

const START_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** The last it printed, for our log, should it not start. */
const MAX_STDERR_LENGTH = 500;

// No network: every name and address fails to resolve, beside whatever the page's requests meet.
const CHROMIUM_FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-quic',
  '--disable-sync',
  '--mute-audio',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  // Containers have 64 MB of /dev/shm, and a page that needs more crashes.
  '--disable-dev-shm-usage',
  // WebGL in software, the same everywhere.
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
];

/** Starts the first of these browsers that answers. `folder` holds its profile, while it runs. */
export async function launchBrowser(
  programs: readonly BrowserExecutable[],
  folder: string,
): Promise<RunningBrowser> {
  const failures: unknown[] = [];
  for (const program of programs) {
    for (const confine of [withChromiumSandbox, withIsolation]) {
      try {
        const path = await program.resolvePath();
        const command = await confine(path);
        if (command !== undefined) return await startBrowser(command, folder);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  throw new Error(`No browser starts. ${failures.join(' ')}`, { cause: failures[0] });
}

/** By Chromium's own sandbox, which holds its pages better than we can. It refuses to serve root. */
async function withChromiumSandbox(path: string): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return undefined;
  // Whoever is served comes first.
  const behind = 'renice -n 10 -p $$ >/dev/null 2>&1; exec "$@"';
  return ['/bin/sh', '-c', behind, 'sh', path, ...CHROMIUM_FLAGS];
}

/** As the pipeline's children are: no network, no powers, an end with the service. */
async function withIsolation(path: string): Promise<string[]> {
  const { wrapCommand } = await detectIsolation();
  // V8 reserves terabytes of addresses for its own sandbox.
  const bounds = { ...getDefaultLimits(), addressBytes: Number.MAX_SAFE_INTEGER };
  return wrapCommand([path, ...CHROMIUM_FLAGS, '--no-sandbox'], bounds);
}

async function startBrowser(command: readonly string[], folder: string): Promise<RunningBrowser> {
  const profile = await mkdtemp(join(folder, 'browser-'));
  const [program = '', ...rest] = command;
  const child = spawn(program, [...rest, `--user-data-dir=${profile}`], {
    cwd: '/',
    env: { HOME: profile, TMPDIR: tmpdir(), PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const gone = once(child, 'exit').catch(() => undefined);
  const [, , , to, from] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const cdp = new CdpClient(to, from);
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-MAX_STDERR_LENGTH);
  });
  const end = () => {
    cdp.close(new Error('The browser was ended.'));
    killProcessGroup(child);
  };
  const takeBack = onExit(end);
  void gone.then(() => end());

  const running = {
    cdp,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      // Asked first: it collects its helpers, which else would stay as zombies where nobody does.
      cdp.send('Browser.close').catch(() => undefined);
      await Promise.race([gone, wait(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      end();
      await gone;
      takeBack();
      // What wrote there may need a moment to be gone.
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  const timer = setTimeout(end, START_TIMEOUT_MS);
  try {
    await cdp.send('Browser.getVersion');
    return running;
  } catch (cause) {
    await running[Symbol.asyncDispose]();
    throw new Error(`${command.join(' ')}: ${sanitizeText(printed, MAX_STDERR_LENGTH)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

function killProcessGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
  }
}
