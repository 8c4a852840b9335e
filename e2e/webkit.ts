import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as forward, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { TestContext } from 'node:test';
import { findProgram } from '../scripts/optional-programs.ts';
import { stopProcess } from '../scripts/service-process.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { openDisplay } from './firefox.ts';
import { openLoopbackServer } from './loopback-server.ts';

const SCRIPT_TIMEOUT_MS = 120_000;

/** A page in WebKit. */
export type WebKitPage = {
  open(url: string): Promise<void>;
  /** Runs the body of an async function, and returns its result as JSON. */
  run(functionBody: string): Promise<unknown>;
};

/**
 * Starts the WebKit that is installed on this machine (WebKitGTK, by its WebDriver). All host names resolve to this machine. Ends
 * with the test.
 */
export async function openWebKit(t: TestContext): Promise<WebKitPage> {
  const display = await openDisplay(t);
  const port = await findFreePort();
  const driver = spawn(findProgram('WebKitWebDriver') ?? '', [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: display,
      GDK_BACKEND: 'x11',
      // Its sandbox needs namespaces, which containers do not have.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
  let endSession = async () => {};
  t.after(async () => {
    // The driver ends the browser with its session.
    await endSession();
    await stopProcess(driver, 'SIGTERM');
  });
  const driverUrl = `http://127.0.0.1:${port}`;
  await waitUntil('WebKitWebDriver', () =>
    fetch(`${driverUrl}/status`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const httpProxy = `127.0.0.1:${await openForwardProxy(t)}`;
  const capabilities = {
    alwaysMatch: {
      timeouts: { script: SCRIPT_TIMEOUT_MS },
      proxy: { proxyType: 'manual', httpProxy },
    },
  };
  const { sessionId } = (await post(`${driverUrl}/session`, { capabilities })) as {
    sessionId: string;
  };
  const session = `${driverUrl}/session/${sessionId}`;
  endSession = async () => void (await fetch(session, { method: 'DELETE' }));
  return {
    open: async (url) => void (await post(`${session}/url`, { url })),
    run: (functionBody) => post(`${session}/execute/sync`, { script: functionBody, args: [] }),
  };
}

/** Sends a command of W3C WebDriver, and returns its value. */
async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const { value } = (await response.json()) as { value: { message?: string } | null };
  if (!response.ok) throw new Error(`${url}: ${value?.message}`);
  return value;
}

/** Opens an HTTP proxy that connects to this machine, whatever the host name. */
function openForwardProxy(t: TestContext): Promise<number> {
  return openLoopbackServer(t, (request, response) => {
    const { port, pathname, search } = new URL(request.url ?? '');
    const { method, headers } = request;
    const path = pathname + search;
    const upstream = forward({ host: '127.0.0.1', port, method, path, headers });
    upstream.on('response', (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
}

async function findFreePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
