import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import {
  createBrowserEnvironment,
  type IsolatedCommand,
  type Isolation,
} from '../sandbox/isolation.ts';
import { killProcessGroup } from '../sandbox/kill-process-group.ts';
import { getBrowserLimits } from '../sandbox/limits.ts';
import { onExit } from '../sandbox/on-exit.ts';
import { acquireSandboxUser, type SandboxUser } from '../sandbox/sandbox-user.ts';
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
  // With a software GPU, compositing takes longer than without one.
  '--disable-gpu-compositing',
];

/** Chromium's own sandbox isolates pages. Within bubblewrap, we only know whether it starts when it does. */
const listSandboxFlags = ({ allowsChromiumSandbox }: Isolation) =>
  allowsChromiumSandbox ? [[], ['--no-sandbox']] : [['--no-sandbox']];

type Log = { warn(details: object, message: string): void };

export type LaunchOptions = {
  /** The profile is a temporary directory in it, if the user of the browser can enter it. */
  directory: string;
  isolation: Isolation;
  log?: Log;
};

/** Launches the first browser that starts, with Chromium's own sandbox if it starts with that. */
export async function launchBrowser(
  browsers: readonly BrowserExecutable[],
  { directory, isolation, log }: LaunchOptions,
): Promise<RunningBrowser> {
  const failures: unknown[] = [];
  for (const browser of browsers) {
    for (const sandboxFlags of listSandboxFlags(isolation)) {
      try {
        const path = await browser.resolvePath();
        const command = [path, ...CHROMIUM_FLAGS, ...sandboxFlags];
        const running = await startBrowser(command, { directory, isolation, ...(log && { log }) });
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

async function startBrowser(
  browserCommand: readonly string[],
  { directory, isolation, log }: LaunchOptions,
): Promise<RunningBrowser> {
  // Released in reverse order, when the browser is disposed or does not start.
  await using resources = new AsyncDisposableStack();
  const user = isolation.changesUser ? resources.use(await acquireSandboxUser({ log })) : undefined;
  const profile = await createProfile(directory, isolation, user);
  // Killed processes may still write for a moment.
  resources.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  if (user) await chown(profile, user.id, user.id);
  if (user && !isolation.hasOwnProcesses) resources.defer(() => user.killProcesses());
  const isolated = isolation.wrapBrowser([...browserCommand, `--user-data-dir=${profile}`], {
    directory: profile,
    limits: getBrowserLimits(),
    userId: user?.id,
  });
  const child = await spawnBrowser(isolated, profile);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_LENGTH);
  });
  const { browser, kill } = toRunningBrowser(child, resources.move());
  const timer = setTimeout(kill, START_TIMEOUT_MS);
  try {
    await browser.cdp.send('Browser.getVersion');
    return browser;
  } catch (cause) {
    await browser[Symbol.asyncDispose]();
    const output = toSingleLine(stderr, MAX_STDERR_LENGTH);
    throw new Error(`${isolated.command.join(' ')}: ${output}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function spawnBrowser(
  { command: [program = '', ...args], filter }: IsolatedCommand,
  profile: string,
): Promise<ChildProcess> {
  const child = spawn(program, args, {
    cwd: '/',
    env: createBrowserEnvironment(profile),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', ...(filter ? ['pipe' as const] : [])],
    detached: true,
  });
  // Without free file descriptors there are no pipes, and the `error` event follows.
  if (child.stdio?.[4] == null) throw (await once(child, 'error'))[0];
  (child.stdio as unknown as Writable[])[5]?.on('error', () => {}).end(filter);
  return child;
}

/**
 * Creates the directory of the profile. Outside of bubblewrap, another user cannot enter the data directory: then it
 * is in the directory for temporary files.
 */
async function createProfile(
  directory: string,
  isolation: Isolation,
  user: SandboxUser | undefined,
): Promise<string> {
  const isOpen = !user || isolation.hasOwnProcesses || (await canOthersEnter(directory));
  return mkdtemp(join(isOpen ? directory : tmpdir(), 'browser-'));
}

async function canOthersEnter(directory: string): Promise<boolean> {
  if (((await stat(directory)).mode & 0o001) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || canOthersEnter(parent);
}

function toRunningBrowser(
  child: ChildProcess,
  resources: AsyncDisposable,
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
      await resources[Symbol.asyncDispose]();
    },
  };
  return { browser, kill };
}
