import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import { findBubblewrap } from '../sandbox/bubblewrap.ts';
import { detectIsolation, limitCommand } from '../sandbox/isolation.ts';
import { killProcessGroup } from '../sandbox/kill-process-group.ts';
import { getDefaultLimits, type SandboxLimits } from '../sandbox/limits.ts';
import { onExit } from '../sandbox/on-exit.ts';
import { createSeccompFilter } from '../sandbox/seccomp-filter.ts';
import { CdpClient } from './cdp-client.ts';
import type { BrowserExecutable } from './find-browsers.ts';

/** A running browser. Disposing it kills all of its processes. */
export type RunningBrowser = AsyncDisposable & {
  cdp: CdpClient;
  pid: number;
};

const START_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** How many characters from the end of stderr are logged if the browser does not start. */
const MAX_STDERR_LENGTH = 500;

// No host name or address resolves, in addition to the interception of all requests.
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
  // WebGL in software renders the same on every machine.
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
];

/** The best isolation first. */
const CREATE_COMMAND = [
  inBubblewrap,
  withChromiumSandbox,
  inBubblewrapWithoutChromiumSandbox,
  withIsolation,
];

type Log = { warn(details: object, message: string): void };

/** Launches the first browser that starts. Its profile is a temporary directory in `directory`. */
export async function launchBrowser(
  browsers: readonly BrowserExecutable[],
  directory: string,
  log?: Log,
): Promise<RunningBrowser> {
  const failures: unknown[] = [];
  for (const browser of browsers) {
    for (const createCommand of CREATE_COMMAND) {
      try {
        const path = await browser.resolvePath();
        const running = await startBrowser((profile) => createCommand(path, profile), directory);
        if (running === undefined) continue;
        if (failures.length > 0)
          log?.warn({ failures: failures.map(String) }, 'the browser runs with less isolation');
        return running;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  throw new Error(`No browser starts. ${failures.join(' ')}`, { cause: failures[0] });
}

/** V8's own sandbox reserves terabytes of address space. */
const LIMITS: SandboxLimits = {
  ...getDefaultLimits(),
  addressSpaceBytes: Number.MAX_SAFE_INTEGER,
};

type BrowserCommand = { command: string[]; filter?: Buffer };

/**
 * Returns the command with the isolation of the workers at the level `strict`, within which Chromium's own sandbox
 * isolates pages; undefined if the system does not support it.
 */
async function inBubblewrap(
  path: string,
  profile: string,
  flags = CHROMIUM_FLAGS,
): Promise<BrowserCommand | undefined> {
  const bubblewrap = await findBubblewrap();
  const filter = createSeccompFilter('browser');
  if ('reason' in bubblewrap || filter === undefined) return undefined;
  await bubblewrap.shareProfile(profile);
  const command = bubblewrap.wrapBrowser([path, ...flags], profile);
  return { command: limitCommand(command, LIMITS), filter };
}

/** The same for systems on which Chromium's own sandbox does not start there. */
function inBubblewrapWithoutChromiumSandbox(path: string, profile: string) {
  return inBubblewrap(path, profile, [...CHROMIUM_FLAGS, '--no-sandbox']);
}

/**
 * Returns the command with Chromium's own sandbox, which isolates pages better than that of the
 * workers; undefined for root, for whom Chromium's sandbox does not start.
 */
async function withChromiumSandbox(path: string): Promise<BrowserCommand | undefined> {
  if (process.getuid?.() === 0) return undefined;
  return { command: [...LOW_PRIORITY, path, ...CHROMIUM_FLAGS] };
}

/** Lowers the priority below that of the service. */
const LOW_PRIORITY = ['/bin/sh', '-c', 'renice -n 10 -p $$ >/dev/null 2>&1; exec "$@"', 'sh'];

/** Returns the command with the isolation of the workers: no network, no capabilities, killed with the service. */
async function withIsolation(path: string): Promise<BrowserCommand> {
  const { wrapCommand } = await detectIsolation();
  return { command: wrapCommand([path, ...CHROMIUM_FLAGS, '--no-sandbox'], LIMITS) };
}

async function startBrowser(
  createCommand: (profile: string) => Promise<BrowserCommand | undefined>,
  directory: string,
): Promise<RunningBrowser | undefined> {
  const profile = await mkdtemp(join(directory, 'browser-'));
  const created = await createCommand(profile);
  if (created === undefined) {
    await rm(profile, { recursive: true });
    return undefined;
  }
  const { command, filter } = created;
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, `--user-data-dir=${profile}`], {
    cwd: '/',
    env: { HOME: profile, TMPDIR: tmpdir(), PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', ...(filter ? ['pipe' as const] : [])],
    detached: true,
  });
  (child.stdio as unknown as Writable[])[5]?.on('error', () => {}).end(filter);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_LENGTH);
  });
  const { browser, kill } = toRunningBrowser(child, profile);
  const timer = setTimeout(kill, START_TIMEOUT_MS);
  try {
    await browser.cdp.send('Browser.getVersion');
    return browser;
  } catch (cause) {
    await browser[Symbol.asyncDispose]();
    throw new Error(`${command.join(' ')}: ${toSingleLine(stderr, MAX_STDERR_LENGTH)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

function toRunningBrowser(
  child: ChildProcess,
  profile: string,
): { browser: RunningBrowser; kill: () => void } {
  const exited = once(child, 'exit').catch(() => undefined);
  const [, , , output, input] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const cdp = new CdpClient(output, input);
  const kill = () => {
    cdp.close(new Error('The browser was terminated.'));
    killProcessGroup(child);
  };
  const unregister = onExit(kill);
  void exited.then(kill);

  const browser = {
    cdp,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      // Closed before it is killed: then the browser reaps its children, which may else become zombies.
      cdp.send('Browser.close').catch(() => undefined);
      await Promise.race([exited, wait(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      kill();
      await exited;
      unregister();
      // Killed processes may still write for a moment.
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return { browser, kill };
}
