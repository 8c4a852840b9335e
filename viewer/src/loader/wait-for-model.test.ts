import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';
import { waitForModel } from './wait-for-model.ts';

const MODEL = { model: { url: '/model.glb', bytes: 5 } };
const MINUTE_MS = 60_000;

type Reply = () => Response | Promise<Response>;

const ready: Reply = () => new Response(JSON.stringify(MODEL));

function problem(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return () =>
    new Response(JSON.stringify({ status, code, detail: `Detail of ${code}.` }), {
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
    });
}

const notReady = problem(503, 'design.not-ready');

type Waiting = {
  /** The times of the requests so far, in milliseconds since the start. */
  requests: number[];
  result: Promise<unknown>;
  abort(): void;
  show(isVisible: boolean): void;
  /** Advances the clock. */
  pass(ms: number): Promise<void>;
};

/** Waits for a model with a clock that the test advances. The last reply is repeated. */
function startWaiting(t: TestContext, replies: Reply[], { random = 0 } = {}): Waiting {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.mock.method(Math, 'random', () => random);
  const requests: number[] = [];
  t.mock.method(globalThis, 'fetch', async (url: string, { signal }: RequestInit) => {
    assert.equal(url, '/embed/model');
    signal?.throwIfAborted();
    const reply = replies[Math.min(requests.length, replies.length - 1)];
    requests.push(Date.now());
    return reply?.();
  });
  const controller = new AbortController();
  let isVisible = true;
  let onVisible = Promise.withResolvers<void>();
  const result = waitForModel({
    url: '/embed/model',
    grant: 'grant',
    signal: controller.signal,
    waitUntilVisible: async () => {
      if (!isVisible) await onVisible.promise;
    },
  });
  result.catch(() => undefined);
  return {
    requests,
    result,
    abort: () => controller.abort(new Error('The viewer was closed.')),
    show(visible) {
      isVisible = visible;
      if (visible) onVisible.resolve();
      else onVisible = Promise.withResolvers();
    },
    async pass(ms) {
      for (const end = Date.now() + ms; Date.now() < end; ) {
        await settle();
        t.mock.timers.tick(Math.min(100, end - Date.now()));
      }
      await settle();
    },
  };
}

/** Runs everything that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('waitForModel', () => {
  it('returns the model when it is ready, and asks no more', async (t) => {
    const { requests, result, pass } = startWaiting(t, [notReady, notReady, ready]);
    await pass(MINUTE_MS);
    assert.deepEqual(await result, MODEL);
    assert.equal(requests.length, 3);
  });

  it('asks less and less often, up to every ten seconds', async (t) => {
    const { requests, pass } = startWaiting(t, [notReady]);
    await pass(10 * MINUTE_MS);
    const delays = requests.slice(1).map((time, index) => time - (requests[index] ?? 0));
    assert.deepEqual(
      delays,
      delays.toSorted((a, b) => a - b),
    );
    assert.deepEqual([delays[0], delays.at(-1)], [500, 10_000]);
    assert.equal(requests.length, 66);
  });

  it('adds up to a quarter at random', async (t) => {
    const { requests, pass } = startWaiting(t, [notReady], { random: 0.8 });
    await pass(MINUTE_MS);
    assert.equal(requests[1], 600);
  });

  it('asks not before Retry-After, in seconds or as a date', async (t) => {
    const date = () =>
      problem(503, 'design.not-ready', {
        'retry-after': new Date(Date.now() + 30_000).toUTCString(),
      })();
    const seconds = problem(503, 'design.not-ready', { 'retry-after': '20' });
    const { requests, pass } = startWaiting(t, [seconds, date, ready]);
    await pass(MINUTE_MS);
    assert.deepEqual(requests, [0, 20_000, 50_000]);
  });

  it('asks every half second while Retry-After is 0, then less and less often again', async (t) => {
    const nearly = problem(503, 'design.not-ready', { 'retry-after': '0' });
    const replies = [...Array<Reply>(6).fill(notReady), nearly, nearly, nearly, notReady];
    const { requests, pass } = startWaiting(t, replies);
    await pass(MINUTE_MS);
    const delays = requests.slice(1).map((time, index) => time - (requests[index] ?? 0));
    assert.deepEqual(delays.slice(6, 9), [500, 500, 500]);
    assert.deepEqual(
      delays.slice(8),
      delays.slice(8).toSorted((a, b) => a - b),
    );
    assert.ok((delays[5] ?? 0) > 3000 && (delays.at(-1) ?? 0) === 10_000, String(delays));
  });

  it('asks nothing while no visitor can see the embed, and at once when one can', async (t) => {
    const { requests, result, show, pass } = startWaiting(t, [notReady, ready]);
    await pass(100);
    show(false);
    await pass(10 * MINUTE_MS);
    assert.equal(requests.length, 1);
    show(true);
    await pass(0);
    assert.equal(requests.length, 2);
    await result;
  });

  const final: [status: number, problemCode: string, error: ViewerErrorCode][] = [
    [422, 'design.failed', 'processing-failed'],
    [403, 'token.revoked', 'refused'],
    [404, 'design.unknown', 'refused'],
    [403, 'embed.grant', 'grant-expired'],
  ];
  for (const [status, problemCode, code] of final) {
    it(`ends with ${code} after ${problemCode}`, async (t) => {
      const { requests, result, pass } = startWaiting(t, [notReady, problem(status, problemCode)]);
      await pass(MINUTE_MS);
      assert.equal(requests.length, 2);
      await assert.rejects(
        result,
        (error) =>
          error instanceof ViewerError &&
          error.code === code &&
          error.advice.startsWith(`Detail of ${problemCode}.`),
      );
    });
  }

  const offline: Reply = () => Promise.reject(new TypeError('Failed to fetch'));
  const temporary: [name: string, reply: Reply, code: ViewerErrorCode][] = [
    ['a 503 of a proxy', () => new Response('', { status: 503 }), 'unavailable'],
    ['server.draining', problem(503, 'server.draining'), 'unavailable'],
    ['server.failed', problem(500, 'server.failed'), 'unavailable'],
    ['a request without a response', offline, 'offline'],
  ];
  for (const [name, reply, code] of temporary) {
    it(`asks again after ${name}`, async (t) => {
      const replies = [reply, reply, notReady, reply, reply, reply, reply, reply, ready];
      const { requests, result, pass } = startWaiting(t, replies);
      await pass(2 * MINUTE_MS);
      assert.deepEqual(await result, MODEL);
      assert.equal(requests.length, replies.length);
    });

    it(`ends with ${code} after ${name}, six times in a row`, async (t) => {
      const { requests, result, pass } = startWaiting(t, [notReady, reply]);
      await pass(2 * MINUTE_MS);
      assert.equal(requests.length, 7);
      await assert.rejects(result, (error) => (error as ViewerError).code === code);
    });
  }

  it('asks again if a connection delivers nothing, before the response or in its body', async (t) => {
    const silent: Reply = () => new Promise(() => {});
    const cut: Reply = () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), {
        status: 503,
        headers: { 'content-type': 'application/problem+json' },
      });
    const { requests, result, pass } = startWaiting(t, [silent, cut, ready]);
    await pass(2 * MINUTE_MS);
    assert.deepEqual(await result, MODEL);
    assert.equal(requests.length, 3);
  });

  it('asks no more after it was aborted', async (t) => {
    const { requests, result, abort, pass } = startWaiting(t, [notReady]);
    await pass(100);
    abort();
    await assert.rejects(result, /The viewer was closed/);
    await pass(MINUTE_MS);
    assert.equal(requests.length, 1);
  });
});
