import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChromiumEngine } from './chromium-engine.ts';
import { createCase, createGroup, LISTED, UNLISTED } from './gate-case.ts';
import { type GateEngine, UnresponsiveBrowserError } from './gate-engine.ts';
import { GateWorld } from './gate-world.ts';
import { runMatrix } from './run-matrix.ts';

test('self-test: leaks are reported, and pages that decide nothing', async (t) => {
  const world = await GateWorld.open(t);
  const engine = await openChromiumEngine(t, world.certificate);
  const cases = createGroup('Self-test', [
    createCase('a page shows the design', LISTED, 'denied', ({ frame }) => frame()),
    createCase('a page shows the poster', LISTED, 'denied', ({ frame }) =>
      frame('sandbox="allow-scripts"'),
    ),
    createCase(
      'a page reads the name',
      UNLISTED,
      'denied',
      ({ isControl, frame }) =>
        `${frame()}<script>if (${!isControl}) gate.run(() => gate.report('canary-name-5d1f7c20'))</script>`,
    ),
    createCase(
      'a page requests the document in an iframe',
      LISTED,
      'denied',
      ({ frame }) => frame('hidden'),
      { kind: 'request' },
    ),
    createCase('a page does not frame the design', UNLISTED, 'denied', () => 'text', {
      minRequests: 0,
    }),
  ]);
  // The first page runs again in another browser.
  let isResponding = false;
  const open: GateEngine['open'] = (url) => {
    if (isResponding) return engine.open(url);
    isResponding = true;
    throw new UnresponsiveBrowserError('the browser does not respond');
  };
  const { outcomes, failures } = await runMatrix(cases, {
    engine: { ...engine, open },
    world,
    timeoutMs: 15_000,
  });
  assert.deepEqual(failures.map((failure) => failure.split('\n')[0]).sort(), [
    'Self-test: a page does not frame the design (control): Error: Timeout after 15 s: the control shows the design',
    'Self-test: a page reads the name: Error: not denied: a canary',
    'Self-test: a page requests the document in an iframe: Error: not denied: a canary',
    'Self-test: a page shows the design: Error: not denied: a canary',
    'Self-test: a page shows the poster: Error: not denied: a canary',
  ]);
  assert.deepEqual(
    [...outcomes.keys()].map(({ name }) => name),
    ['a page does not frame the design'],
  );
  const options = { engine, world, hasControls: false };
  const withoutControls = await runMatrix(cases.slice(-1), options);
  assert.deepEqual([withoutControls.outcomes.size, withoutControls.failures], [1, []]);
});

test('a page that the browser stops runs again, in a browser that is known for it', async (t) => {
  const world = await GateWorld.open(t);
  const engine = await openChromiumEngine(t, world.certificate);
  /** Stops the first page, before its first request or after a request to the service. */
  const runStopped = async (stopsPages: boolean, stopsAt: 'start' | 'request') => {
    let opened = 0;
    let rendered = 0;
    const open: GateEngine['open'] = (url) => {
      opened += 1;
      return engine.open(stopsAt === 'start' && opened === 1 ? 'about:blank' : url);
    };
    const page = createCase('page', LISTED, 'shown', ({ frame }) => {
      rendered += 1;
      if (stopsAt === 'start' || rendered > 1) return frame();
      return `${frame()}<script>gate.run(() => gate.call('answered').then(() => new Promise(() => {})))</script>`;
    });
    return runMatrix(createGroup('Self-test', [page]), {
      ...{ engine: { ...engine, stopsPages, open }, world },
      timeoutMs: stopsPages ? 30_000 : 3000,
    });
  };
  for (const stopsAt of ['start', 'request'] as const) {
    for (const stopsPages of [true, false]) {
      const { outcomes, failures } = await runStopped(stopsPages, stopsAt);
      assert.deepEqual([outcomes.size, failures.length], stopsPages ? [1, 0] : [0, 1], stopsAt);
    }
  }
});

test('a page that the browser stops each time has failed', async (t) => {
  const world = await GateWorld.open(t);
  const engine = await openChromiumEngine(t, world.certificate);
  const page = createCase('page', UNLISTED, 'denied', () => '<script>gate.hold()</script>');
  const { outcomes, failures } = await runMatrix(createGroup('Self-test', [page]), {
    ...{ engine: { ...engine, stopsPages: true }, world, timeoutMs: 3000 },
  });
  assert.deepEqual([outcomes.size, failures.length], [0, 2]);
});
