import type { TestContext } from 'node:test';
import { openWebKitSession, type WebDriverSession } from '../webkit.ts';
import type { EnginePage, GateEngine } from './gate-engine.ts';

/** Number of WebKit processes. Each opens one page at a time. */
const SESSION_COUNT = 3;
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
  const capabilities = { acceptInsecureCerts: true, pageLoadStrategy: 'none' };
  const sessions = await Promise.all(
    Array.from({ length: SESSION_COUNT }, () =>
      openWebKitSession(t, { capabilities, hostnames: HOSTNAMES }),
    ),
  );
  const free = sessions.map(({ send }) => send);
  await Promise.all(
    free.map((send) => send('POST', '/window/rect', { x: 0, y: 0, width: 300, height: 300 })),
  );
  const version = /^\d+\.\d+/.exec(sessions[0]?.version ?? '')?.[0] ?? '';
  return {
    name: 'WebKit',
    version,
    concurrency: SESSION_COUNT,
    async open(url) {
      const send = free.pop();
      if (send === undefined) throw new Error('All WebKit processes have a page.');
      const first = (await send('GET', '/window')) as string;
      await send('POST', '/url', { url });
      return toPage(send, first, () => free.push(send));
    },
  };
}

function toPage(send: WebDriverSession, first: string, release: () => void): EnginePage {
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
      for (const handle of (await send('GET', '/window/handles')) as string[]) {
        if (handle === first) continue;
        await send('POST', '/window', { handle });
        await send('DELETE', '/window');
      }
      await send('POST', '/window', { handle: first });
      await send('POST', '/url', { url: 'about:blank' });
      release();
    },
  };
}
