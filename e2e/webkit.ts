import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { findFreePort } from '../scripts/find-free-port.ts';
import { findProgram } from '../scripts/optional-programs.ts';
import { stopProcess } from '../scripts/service-process.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { openDisplay } from './firefox.ts';
import { openForwardProxy } from './forward-proxy.ts';

const SCRIPT_TIMEOUT_MS = 120_000;
/** A command of WebDriver that takes longer never ends. */
const COMMAND_TIMEOUT_MS = 150_000;
const CLOSE_TIMEOUT_MS = 10_000;

/** A page in WebKit. */
export type WebKitPage = {
  open(url: string): Promise<void>;
  /** Runs the body of an async function, and returns its result as JSON. */
  run(functionBody: string): Promise<unknown>;
};

/** A session of W3C WebDriver: sends a command, and returns its value. */
export type WebDriverSession = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
) => Promise<unknown>;

/** Starts the WebKit that is installed on this machine (WebKitGTK). All host names resolve to this machine. Ends with the test. */
export async function openWebKit(t: TestContext): Promise<WebKitPage> {
  const { send } = await openWebKitSession(t);
  return {
    open: async (url) => void (await send('POST', '/url', { url })),
    run: (script) => send('POST', '/execute/sync', { script, args: [] }),
  };
}

/** How a session of WebKit differs. */
type WebKitOptions = {
  capabilities?: object;
  /** The settings of the browser: `javascript-can-open-windows-automatically`. */
  settings?: readonly string[];
  /** The host names that resolve to this machine, without a proxy: a proxy for https must have a certificate that WebKit knows. */
  hostnames?: readonly string[];
  commandTimeoutMs?: number;
};

/** A browser with its driver. */
export type WebKitSession = { send: WebDriverSession; version: string; close(): Promise<void> };

/** Starts WebKit by its WebDriver. Ends with the test, or before. */
export async function openWebKitSession(
  t: TestContext,
  { capabilities, settings, hostnames, commandTimeoutMs = COMMAND_TIMEOUT_MS }: WebKitOptions = {},
): Promise<WebKitSession> {
  const { driver, driverUrl } = await startDriver(t, hostnames);
  let endSession = async () => {};
  let closing: Promise<unknown> | undefined;
  const close = async () => {
    // The driver ends the browser with its session, unless one of them does not respond.
    closing ??= endSession().finally(() => stopProcess(driver, 'SIGTERM'));
    await closing;
  };
  t.after(close);
  await waitUntil('WebKitWebDriver', () =>
    fetch(`${driverUrl}/status`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const httpProxy = `127.0.0.1:${await openForwardProxy(t)}`;
  const alwaysMatch = {
    timeouts: { script: SCRIPT_TIMEOUT_MS },
    ...(hostnames === undefined && { proxy: { proxyType: 'manual', httpProxy } }),
    ...(settings && { 'webkitgtk:browserOptions': createBrowserOptions(settings) }),
    ...capabilities,
  };
  const session = (await send('POST', `${driverUrl}/session`, COMMAND_TIMEOUT_MS, {
    capabilities: { alwaysMatch },
  })) as { sessionId: string; capabilities: { browserVersion: string } };
  const sessionUrl = `${driverUrl}/session/${session.sessionId}`;
  endSession = async () => {
    await send('DELETE', sessionUrl, CLOSE_TIMEOUT_MS).catch(() => undefined);
  };
  return {
    send: (method, path, body) => send(method, sessionUrl + path, commandTimeoutMs, body),
    version: session.capabilities.browserVersion,
    close,
  };
}

/** Starts the driver on a display of its own. */
async function startDriver(t: TestContext, hostnames: readonly string[] | undefined) {
  const display = await openDisplay(t);
  const port = await findFreePort();
  const program = [findProgram('WebKitWebDriver') ?? '', `--port=${port}`];
  const [command = '', ...args] =
    hostnames === undefined ? program : [...(await replaceHosts(t, hostnames)), ...program];
  const driver = spawn(command, args, {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: display,
      GDK_BACKEND: 'x11',
      // Its sandbox needs namespaces, which containers do not have.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
  return { driver, driverUrl: `http://127.0.0.1:${port}` };
}

/** The browser that the driver starts if none is named, with settings of its own. */
function createBrowserOptions(settings: readonly string[]): object {
  const [binary] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');
  if (binary === undefined) throw new Error('WebKit has no MiniBrowser on this machine.');
  return { binary, args: ['--automation', ...settings.map((name) => `--${name}=true`)] };
}

/** Returns the command that runs a program with another file /etc/hosts. */
async function replaceHosts(t: TestContext, hostnames: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-hosts-'));
  t.after(() => rm(folder, { recursive: true }));
  const hosts = join(folder, 'hosts');
  await writeFile(hosts, `127.0.0.1 localhost ${hostnames.join(' ')}\n`);
  const bindings = ['--dev-bind', '/', '/', '--ro-bind', hosts, '/etc/hosts'];
  // With the first process of its namespace, a browser ends that does not respond to its driver.
  return [findProgram('bwrap') ?? '', '--die-with-parent', '--unshare-pid', ...bindings];
}

/** Sends a command of W3C WebDriver, and returns its value. */
async function send(
  method: string,
  url: string,
  timeoutMs: number,
  body?: object,
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { value } = (await response.json()) as { value: { message?: string } | null };
  if (!response.ok) throw new Error(`${url}: ${value?.message}`);
  return value;
}
