import type { TestContext } from 'node:test';
import { openWebKitSession, type WebDriverSession, type WebKitSession } from '../webkit.ts';
import { type EnginePage, type GateEngine, UnresponsiveBrowserError } from './gate-engine.ts';

/** Number of WebKit processes. Each opens one page at a time. */
const SESSION_COUNT = 3;
const COMMAND_TIMEOUT_MS = 20_000;
const SCRIPT_TIMEOUT_MS = 10_000;
/** Pages open windows without a click. */
const SETTINGS = ['javascript-can-open-windows-automatically'];
/** All hosts of the cases. */
const HOSTNAMES = [
  ...['cloche.test', 'ungated.test', 'rebound.test', 'cloche.test.', 'ungated.test.'],
  ...['shop.test', 'evil.test', 'other.test', 'www.shop.test', 'shop.test.', 'a.wild.test.'],
  ...['wild.test', 'a.wild.test', 'a.b.wild.test', 'a_b.wild.test', 'awild.test', 'a-wild.test'],
  ...['a.wild.test.evil.test', 'shop.test.evil.test', 'evilshop.test', 'localhost.evil.test'],
  ...['xn--bcher-kva.test', 'xn--bcher-0ra.test', 'xn--bcher-kva.wild.test', 'bucher.test'],
  ...[`${'a'.repeat(60)}.${'b'.repeat(60)}.wild.test`, 'a.localhost'],
];
/** The key of an element in the JSON of W3C WebDriver. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Starts WebKit. Its pages share their storage and cache: cases that depend on them have designs of their own. */
export async function openWebKitEngine(t: TestContext): Promise<GateEngine> {
  const sessions = await Promise.all(Array.from({ length: SESSION_COUNT }, () => openSession(t)));
  const version = /^\d+\.\d+/.exec(sessions[0]?.version ?? '')?.[0] ?? '';
  return {
    name: 'WebKit',
    version,
    concurrency: SESSION_COUNT,
    stopsPages: true,
    async open(url) {
      const session = sessions.pop();
      if (session === undefined) throw new Error('All WebKit processes have a page.');
      const release = async () => {
        if (!session.isResponding) await session.close();
        sessions.push(session.isResponding ? session : await openSession(t));
      };
      try {
        const first = (await session.send('GET', '/window')) as string;
        await session.send('POST', '/url', { url });
        return toPage(session, first, release);
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

/** A browser that opens one page at a time. */
type GateSession = WebKitSession & {
  /** Whether all commands got a response. WebKit sometimes sends none if a page leaves or closes during a command. */
  isResponding: boolean;
};

async function openSession(t: TestContext): Promise<GateSession> {
  const session = await openWebKitSession(t, {
    capabilities: {
      acceptInsecureCerts: true,
      pageLoadStrategy: 'none',
      timeouts: { script: SCRIPT_TIMEOUT_MS },
    },
    settings: SETTINGS,
    hostnames: HOSTNAMES,
    commandTimeoutMs: COMMAND_TIMEOUT_MS,
  });
  const gateSession: GateSession = {
    ...session,
    isResponding: true,
    async send(method, path, body) {
      if (!gateSession.isResponding) throw new UnresponsiveBrowserError('WebKit does not respond');
      try {
        return await session.send(method, path, body);
      } catch (error) {
        if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error;
        gateSession.isResponding = false;
        throw new UnresponsiveBrowserError(`WebKit does not respond to ${method} ${path}`);
      }
    },
  };
  await gateSession.send('POST', '/window/rect', { x: 0, y: 0, width: 300, height: 300 });
  return gateSession;
}

function toPage(session: GateSession, first: string, release: () => Promise<void>): EnginePage {
  const { send } = session;
  const run = (script: string) => send('POST', '/execute/sync', { script, args: [] });

  /** Calls a function for each window. A window that navigates or closes at the moment has no result. */
  const mapWindows = async <T>(map: () => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    for (const handle of (await send('GET', '/window/handles')) as string[]) {
      try {
        await send('POST', '/window', { handle });
        results.push(await map());
      } catch {
        // The next call gets its result.
      }
    }
    if (!session.isResponding) throw new UnresponsiveBrowserError('WebKit does not respond');
    return results;
  };

  const readFrames = async (): Promise<string[]> => {
    const documents = [String(await run('return document.documentElement.outerHTML'))];
    const frames = (await send('POST', '/elements', {
      using: 'css selector',
      value: 'iframe, frame, object, embed',
    })) as Record<string, string>[];
    for (const frame of frames) {
      try {
        await send('POST', '/frame', { id: { [ELEMENT]: frame[ELEMENT] } });
      } catch {
        // An element that contains no document.
        continue;
      }
      try {
        documents.push(...(await readFrames()));
      } catch {
        // A document that the browser refused, or that a page without an origin contains.
      }
      await send('POST', '/frame/parent', {});
    }
    return documents;
  };

  return {
    takeScreenshots: () =>
      mapWindows(async () => Buffer.from(String(await send('GET', '/screenshot')), 'base64')),
    readDocuments: async () => (await mapWindows(readFrames)).flat(),
    isLoaded: async () =>
      (await mapWindows(() => run('return document.readyState === "complete"'))).every(Boolean),
    async close() {
      try {
        await leavePages(send, first);
      } catch {
        // A browser whose windows do not close is replaced.
        session.isResponding = false;
      }
      await release();
    },
  };
}

/** Closes all windows but the first, and empties that. */
async function leavePages(send: WebDriverSession, first: string): Promise<void> {
  for (const handle of (await send('GET', '/window/handles')) as string[]) {
    if (handle === first) continue;
    await send('POST', '/window', { handle });
    await send('DELETE', '/window');
  }
  await send('POST', '/window', { handle: first });
  await send('POST', '/url', { url: 'about:blank' });
}
