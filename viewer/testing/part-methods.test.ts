import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { PartNode } from '@cloche/contract/message';
import type { Frame, Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import {
  clickAtOnce,
  findPixels,
  isGreen,
  waitForControls,
  waitForStablePicture,
} from './embedded-viewer.ts';
import { prepareExposedViewers, waitUntilOutOfView } from './exposed-viewers.ts';
import { createPartsGlb, PARTS } from './part-models.ts';

const isRed = (red: number, green: number, blue: number) =>
  red > 60 && red > green * 1.8 && red > blue * 1.8;

/** The model from the front, with room around it. CSS pixels of the centers of the boxes. */
const FRONT = { orbit: '0deg 90deg 100%', target: '0m -0.5m 0m' };

describe('the parts of a model', { concurrency: 2 }, () => {
  const openViewer = prepareExposedViewers();

  /** Opens the model, from the front. */
  async function open(t: TestContext) {
    const model = createPartsGlb();
    const opened = await openViewer(t, { model });
    await waitForControls(opened.frame);
    await opened.frame.evaluate(
      (front) => exposedViewer.viewer.setCamera(front, { durationMs: 0 }),
      FRONT,
    );
    await waitForStablePicture(opened.page);
    return opened;
  }

  it('have names, triangles and a place in the tree', async (t) => {
    const { frame } = await open(t);
    const describeParts = (parts: readonly PartNode[]): unknown[] =>
      parts.map(({ id, name, visible, triangles, children }) => [
        `${id} ${name} ${triangles}${visible ? '' : ' hidden'}`,
        ...describeParts(children),
      ]);
    const readParts = async () =>
      describeParts(await frame.evaluate(() => exposedViewer.viewer.getParts()));
    const bolts = [['5 Bolt 1 12'], ['6 Bolt 2 12'], ['7 Bolt 3 12']];
    const middle = ['2 Middle 24', ['3 Lid 12']];
    assert.deepEqual(await readParts(), [
      ['0 Row 48', ['1 Left 12'], middle, ['4 Right 12']],
      ...bolts,
    ]);
    await frame.evaluate(() => exposedViewer.viewer.hideParts([1, 2]));
    assert.deepEqual(await readParts(), [
      [
        '0 Row 48',
        ['1 Left 12 hidden'],
        ['2 Middle 24 hidden', ['3 Lid 12 hidden']],
        ['4 Right 12'],
      ],
      ...bolts,
    ]);
  });

  it('are hidden, isolated, shown and colored, also single instances', async (t) => {
    const { page, frame, consoleErrors } = await open(t);
    const whole = await findPixels(page, isGreen);
    const left = await change(frame, page, 'isolateParts', [PARTS.left]);
    assert.ok(left.right < 250 && left.count < whole.count / 4, JSON.stringify(left));
    const bolt = await change(frame, page, 'isolateParts', [PARTS.bolt3]);
    assert.ok(bolt.left > 350 && bolt.top > 220, JSON.stringify(bolt));
    // The box in the middle is hidden, the lid in it is not.
    const lid = await change(frame, page, 'isolateParts', [PARTS.lid]);
    assert.ok(lid.left > 250 && lid.right < 350 && lid.bottom < 150, JSON.stringify(lid));
    await frame.evaluate((ids) => exposedViewer.viewer.showParts(ids), [PARTS.bolt1]);
    const two = await change(frame, page, 'showParts', [PARTS.lid]);
    assert.ok(two.left < 200 && two.count > lid.count * 2, JSON.stringify(two));

    await frame.evaluate(() => exposedViewer.viewer.resetParts());
    const { right, bolt2 } = PARTS;
    for (const id of [right, bolt2]) {
      await frame.evaluate((id) => exposedViewer.viewer.setPartColor([id], '#e01010'), id);
      await waitForStablePicture(page);
      const red = await findPixels(page, isRed);
      assert.ok(id === right ? red.left > 350 : red.left > 220, `${id} ${JSON.stringify(red)}`);
    }
    const colored = await findPixels(page, isRed);
    assert.ok(colored.left < 320 && colored.right > 400, JSON.stringify(colored));
    await frame.evaluate((id) => exposedViewer.viewer.setPartColor([id], null), right);
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isRed)).right < 350);
    const reset = await change(frame, page, 'resetParts', []);
    assert.deepEqual(reset, whole);
    assert.deepEqual(consoleErrors, []);
  });

  it('stay hidden and colored when the model is loaded again', async (t) => {
    const { page, frame } = await open(t);
    await frame.evaluate(async ({ left, bolt2, row }) => {
      const { viewer } = exposedViewer;
      await viewer.hideParts([row]);
      await viewer.showParts([left]);
      await viewer.setPartColor([bolt2], '#e01010');
    }, PARTS);
    await waitForStablePicture(page);
    const before = [await findPixels(page, isGreen), await findPixels(page, isRed)];
    await unloadModel(page, frame);
    // Recorded while there is no model.
    await frame.evaluate(({ left }) => exposedViewer.viewer.hideParts([left]), PARTS);
    await frame.evaluate(({ left }) => exposedViewer.viewer.showParts([left]), PARTS);
    const parts = await frame.evaluate(() => exposedViewer.viewer.getParts());
    assert.equal(parts.length, 4);
    await page.evaluate(() => scrollTo(0, 0));
    await frame.waitForFunction(() => document.documentElement.dataset.suspended === undefined);
    await waitForStablePicture(page);
    assert.deepEqual([await findPixels(page, isGreen), await findPixels(page, isRed)], before);
  });

  it('are hidden in the picture that replaces the model while it is unloaded', async (t) => {
    const { page, frame } = await open(t);
    await page.evaluate(() => scrollTo(0, 2000));
    await waitUntilOutOfView(frame);
    // Out of view, no picture is made when something changes.
    await frame.evaluate(async () => {
      const { viewer } = exposedViewer;
      await viewer.hideParts((await viewer.getParts()).map(({ id }) => id));
      globalThis.clochePageMember1?.release();
    });
    const shown = await frame.evaluate(() => {
      const canvas = document.querySelector('#view canvas') as HTMLCanvasElement;
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
      // Without the shadow, which is black.
      return [...data].filter((value, index) => index % 4 !== 3 && value > 0).length;
    });
    assert.equal(shown, 0);
  });

  it('are picked, with position and normal in the coordinates of the model', async (t) => {
    const { page, frame } = await open(t);
    const picked = await pickAt(frame, 300, 140);
    assert.equal(picked?.part.name, 'Middle');
    assert.deepEqual(round(picked?.normal), { x: 0, y: 0, z: 1 });
    assert.equal(round(picked?.position)?.z, 0.5);
    assert.ok(Math.abs(picked?.position.x ?? 1) < 0.02, JSON.stringify(picked));
    const { left, bottom } = await change(frame, page, 'isolateParts', [PARTS.bolt1]);
    const bolt = await pickAt(frame, left + 30, bottom - 30);
    assert.deepEqual(bolt?.part, { id: PARTS.bolt1, name: 'Bolt 1' });
    assert.deepEqual([round(bolt?.position)?.z, round(bolt?.normal)?.z], [0.5, 1]);
    // Hidden parts are not picked, and there is nothing outside the frame.
    assert.equal(await pickAt(frame, 300, 140), null);
    assert.equal(await pickAt(frame, -1, 140), null);
    await frame.evaluate(() => exposedViewer.viewer.setPartColor([5], '#e01010'));
    assert.deepEqual((await pickAt(frame, left + 30, bottom - 30))?.part, bolt?.part);
  });

  it('are reported after a click, but not after a drag or a double click', async (t) => {
    const { page, frame } = await open(t);
    const listPicked = () =>
      frame.evaluate(() =>
        exposedViewer.events.filter(([name]) => name === 'pick').map(([, detail]) => detail),
      );
    await clickAtOnce(page, { x: 300, y: 140, count: 2 });
    await page.mouse.move(300, 140);
    await page.mouse.down();
    await page.mouse.move(340, 140, { steps: 4 });
    await page.mouse.up();
    await frame.evaluate(
      (front) => exposedViewer.viewer.setCamera(front, { durationMs: 0 }),
      FRONT,
    );
    await clickAtOnce(page, { x: 300, y: 140 });
    await waitUntil('the click is reported', async () => (await listPicked()).length > 0);
    assert.deepEqual(await listPicked(), [{ name: 'Middle' }]);
  });

  it('fill the frame, from the present direction', async (t) => {
    const { page, frame } = await open(t);
    await frame.evaluate(
      ({ bolt3 }) => exposedViewer.viewer.frame(bolt3, { durationMs: 0 }),
      PARTS,
    );
    await waitForStablePicture(page);
    const view = await frame.evaluate(() => exposedViewer.viewer.getCamera());
    assert.deepEqual(round(view.target), { x: 2, y: -1.5, z: 0 });
    assert.ok(Math.abs(view.orbit.phi - Math.PI / 2) < 1e-6);
    const { top, bottom } = await findPixels(page, isGreen);
    assert.ok(bottom - top > 280 && bottom - top < 345, `${top} to ${bottom}`);
  });

  it('that do not exist, and colors that are none, are errors', async (t) => {
    const { frame } = await open(t);
    const readCode = (method: 'hideParts' | 'setPartColor' | 'frame', args: unknown[]) =>
      frame.evaluate(
        ([method, args]) =>
          (exposedViewer.viewer[method] as (...args: unknown[]) => Promise<void>)(...args).then(
            () => 'no error',
            ({ code }) => code as string,
          ),
        [method, args] as const,
      );
    for (const ids of [[99], [-1], [0.5], ['0'], ['length']])
      assert.equal(await readCode('hideParts', [ids]), 'viewer.unknown-part');
    assert.equal(await readCode('hideParts', ['0']), 'viewer.invalid-argument');
    assert.equal(await readCode('frame', [99]), 'viewer.unknown-part');
    for (const color of ['red', 'transparent', 5, '#12345'])
      assert.equal(await readCode('setPartColor', [[0], color]), 'viewer.invalid-argument');
    const parts = await frame.evaluate(() => exposedViewer.viewer.getParts());
    assert.ok(parts.every(({ visible }) => visible));
  });
});

/** Calls a method with ids. Returns the green pixels of the picture afterwards. */
async function change(
  frame: Frame,
  page: Page,
  method: 'showParts' | 'isolateParts' | 'resetParts',
  ids: number[],
) {
  await frame.evaluate(([method, ids]) => exposedViewer.viewer[method](ids), [
    method,
    ids,
  ] as const);
  await waitForStablePicture(page);
  return findPixels(page, isGreen);
}

const pickAt = (frame: Frame, x: number, y: number) =>
  frame.evaluate(([x, y]) => exposedViewer.viewer.pick(x, y), [x, y] as const);

function round<T extends Record<string, number>>(values: T | undefined): T | undefined {
  if (values === undefined) return undefined;
  const rounded = Object.entries(values).map(([key, value]) => [
    key,
    Math.round(value * 1e3) / 1e3 || 0,
  ]);
  return Object.fromEntries(rounded) as T;
}

/** Scrolls the frame out of view, and lets it give up its context and its model as if another frame needed the context. */
async function unloadModel(page: Page, frame: Frame): Promise<void> {
  await page.evaluate(() => scrollTo(0, 2000));
  await waitUntilOutOfView(frame);
  assert.ok(await frame.evaluate(() => globalThis.clochePageMember1?.release()));
  assert.ok(await frame.evaluate(() => exposedViewer.viewer.model === undefined));
}
