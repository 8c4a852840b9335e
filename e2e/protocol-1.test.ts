/** The stability guarantee: a client of protocol 1 that is never edited works with this viewer. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { clickAtOnce } from '../viewer/testing/embedded-viewer.ts';
import { findViewer, openProtocolWorld } from './protocol-world.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures/protocol-1');
const WAIT_OPTIONS = { timeout: 60_000 };

/** A later protocol has a folder of its own: these files stay as they are, and so do these hashes. */
const FROZEN: readonly [file: string, sha256: string][] = [
  ['client.js', 'e1b0c8166020675f16ba57320df01eb7953fa57745a405e261b6f756c607b201'],
  ['exercise.js', '8cc2af032f28a5e0d029e1e9b5f5df0d538b29fa38613bec714b634a71108815'],
];

for (const [file, sha256] of FROZEN) {
  it(`${file} of protocol 1 is unchanged`, async () => {
    const bytes = await readFile(join(FIXTURES, file));
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
  });
}

it('a client of protocol 1 uses every method, and every event of a viewer that works', async (t) => {
  const model = createAnimatedBoxGlb({ animations: ['Spin'], variants: ['Pink'] });
  const world = await openProtocolWorld(t, { model });
  const exercise = await readFile(join(FIXTURES, 'exercise.js'), 'utf8');
  const embed = world.embed.replace('?token=', '?loading=click&amp;token=');
  assert.notEqual(embed, world.embed);
  const url = world.addPage('shop.test', `<script>${exercise}</script>${embed}`);
  const page = await world.openPage(t, url);
  const host = page.mainFrame();
  const results = (await host.evaluate(async (origin) => {
    const iframe = document.querySelector('iframe');
    window.connection = await window.connectProtocol1(iframe, origin, { timeoutMs: 60_000 });
    return window.exerciseProtocol1(window.connection);
  }, world.serviceOrigin)) as Record<string, unknown>;

  const { getCamera, getParts, ...others } = results;
  assert.deepEqual(Object.keys(getCamera as object), ['orbit', 'target', 'fieldOfView']);
  assert.deepEqual(
    (getParts as { triangles: number }[]).map(({ triangles }) => triangles),
    [12],
  );
  assert.deepEqual(others, {
    getOptions: { exposure: 1.5, loading: 'click' },
    getVariants: ['Pink'],
    getVariant: 'Pink',
    getAnimations: [{ name: 'Spin', duration: 2 }],
    getAnimation: { name: 'Spin', duration: 2, playing: false, time: 0.5 },
    toBlob: { type: 'image/png', hasBytes: true },
    pick: null,
    invalid: 'viewer.invalid-argument',
    unknown: 'unknown-method',
    ...Object.fromEntries(
      [
        ...['load', 'setOptions', 'setCamera', 'frame', 'resetCamera', 'setVariant'],
        ...['selectAnimation', 'play', 'pause', 'seek', 'hideParts', 'showParts', 'isolateParts'],
        ...['setPartColor', 'resetParts', 'exitFullscreen'],
      ].map((method) => [method, 'done']),
    ),
  });
  const methods = await host.evaluate(() => window.connection.synAck.methods);
  const used = Object.keys(results).filter((name) => name !== 'invalid' && name !== 'unknown');
  assert.deepEqual(used.sort(), [...methods].sort());

  // The visitor clicks the model, in the middle of the frame.
  const box =
    (await (await (await findViewer(host)).frameElement()).boundingBox()) ?? assert.fail();
  await clickAtOnce(page, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
  for (const name of ['pick', 'camera-change'])
    await host.waitForFunction((name) => window.protocol1Events[name]?.length, name, WAIT_OPTIONS);

  const events = await host.evaluate(() => window.protocol1Events);
  const seen = Object.keys(events).filter((name) => (events[name]?.length ?? 0) > 0);
  assert.deepEqual(seen.sort(), [
    'camera-change',
    'load',
    'model-visibility',
    'pause',
    'pick',
    'play',
    'progress',
  ]);
  assert.deepEqual(events.load, [{}]);
  assert.deepEqual(events['model-visibility'], [{ visible: true }]);
  assert.deepEqual(events.progress?.at(-1), { loaded: 1 });
  const [change] = events['camera-change'] as [{ source: string }];
  assert.equal(change.source, 'api');
});

it('a client of protocol 1 gets the event `error`', async (t) => {
  const world = await openProtocolWorld(t);
  // From the start: a file that the browser has in its cache is not requested again.
  world.proxy.interferences = [{ path: /^\/embed\/assets\//, cutAt: 0 }];
  const embed = world.embed.replace('?token=', '?loading=click&amp;token=');
  const page = await world.openPage(t, world.addPage('shop.test', embed));
  const host = page.mainFrame();
  await host.evaluate(async (origin) => {
    const iframe = document.querySelector('iframe');
    window.connection = await window.connectProtocol1(iframe, origin, { timeoutMs: 60_000 });
    window.protocol1Events = { error: [] };
    window.connection.on('error', (detail) => window.protocol1Events.error?.push(detail));
    await window.connection.call('load');
  }, world.serviceOrigin);
  await host.waitForFunction(() => window.protocol1Events.error?.length, undefined, WAIT_OPTIONS);
  assert.deepEqual(await host.evaluate(() => window.protocol1Events.error), [
    { code: 'viewer.offline', message: 'The design could not be requested.' },
  ]);
});
