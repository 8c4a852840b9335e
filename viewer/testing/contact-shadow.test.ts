import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { ContactShadow } from '@cloche/contract/contact-shadow';
import type { Frame } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  readScreenPixels,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
} from './embedded-viewer.ts';
import { createBoxShadow } from './shadow-image.ts';

declare global {
  /** The number of indices of each drawing. */
  var drawnIndices: number[] | undefined;
}

/** The background is lighter, the box is green. */
const isShadow = (red: number, green: number, blue: number) =>
  green < 185 && Math.max(red, green, blue) - Math.min(red, green, blue) < 16;

describe('the shadow of a model', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  let shadow: ContactShadow;
  before(async () => {
    browser = await openSharedChromium();
    shadow = await createBoxShadow();
  });
  after(() => browser.close());

  async function open(t: TestContext, model: Uint8Array, shadowIntensity?: number) {
    const config = shadowIntensity === undefined ? {} : { options: { shadowIntensity } };
    const opened = await openEmbeddedViewer(
      t,
      browser,
      { model, config },
      { reducedMotion: 'reduce' },
    );
    await waitForControls(opened.frame);
    return opened;
  }

  it('is on the ground, below and beside the model', async (t) => {
    const { page, consoleErrors } = await open(t, createBoxGlb({ shadow }));
    const [box, found] = [await findPixels(page, isGreen), await findPixels(page, isShadow)];
    assert.ok(found.count > 2000, `${found.count} pixels`);
    assert.ok(found.left < box.left && found.right > box.right, JSON.stringify([found, box]));
    assert.ok(found.top > (box.top + box.bottom) / 2, JSON.stringify([found, box]));
    assert.deepEqual(consoleErrors, []);
  });

  it('is drawn before the model', async (t) => {
    const { frame } = await openEmbeddedViewer(
      t,
      browser,
      { model: createBoxGlb({ shadow }) },
      { script: recordDrawings },
    );
    await waitForControls(frame);
    const counts = await frame.evaluate(() => globalThis.drawnIndices ?? []);
    // Of the plane and of the box.
    assert.deepEqual(counts.slice(-2), [6, 36]);
  });

  it('does not change the position of the camera, and is not in the way of a double click', async (t) => {
    const [plain, shadowed] = [
      await open(t, createBoxGlb()),
      await open(t, createBoxGlb({ shadow })),
    ];
    const boxes = [await findPixels(plain.page, isGreen), await findPixels(shadowed.page, isGreen)];
    for (const side of ['left', 'right', 'top', 'bottom'] as const) {
      assert.ok(Math.abs((boxes[0]?.[side] ?? 0) - (boxes[1]?.[side] ?? 9)) <= 2, side);
    }
    // On the model, a double click moves the camera. Beside it, nothing happens in the default view.
    const { page } = shadowed;
    const beside = [(boxes[1]?.right ?? 0) + 24, (boxes[1]?.bottom ?? 0) - 30] as const;
    const view = () => findPixels(page, isGreen);
    await page.mouse.dblclick(...beside);
    await waitForPictureChange(page, () => page.keyboard.press('Tab'));
    assert.deepEqual(await view(), boxes[1]);
  });

  it('is stronger with a larger shadowIntensity, and not there with 0', async (t) => {
    const darkest: number[] = [];
    for (const intensity of [0, 0.5, 1, 1.5]) {
      const { page, frame } = await open(t, createBoxGlb({ shadow }), intensity);
      await hideToolbar(frame);
      await waitForStablePicture(page);
      const { data } = await readScreenPixels(page);
      let value = 255;
      for (let pixel = 0; pixel < data.length; pixel += 4) {
        const [red = 0, green = 0, blue = 0] = data.subarray(pixel, pixel + 3);
        if (Math.max(red, green, blue) - Math.min(red, green, blue) < 12)
          value = Math.min(value, green);
      }
      darkest.push(value);
    }
    const steps = darkest.slice(1).map((value, index) => (darkest[index] ?? 0) - value);
    assert.ok(
      steps.every((step) => step > 10),
      darkest.join(),
    );
  });

  it('is visible through a material that transmits light', async (t) => {
    const name = 'KHR_materials_transmission';
    const change = (gltf: Record<string, unknown>) => {
      const pbrMetallicRoughness = { roughnessFactor: 0, metallicFactor: 0 };
      const extensions = { [name]: { transmissionFactor: 1 } };
      gltf.materials = [{ pbrMetallicRoughness, extensions }];
      gltf.extensionsUsed = [name];
    };
    const { page } = await open(t, createBoxGlb());
    const { left, right, top, bottom } = await findPixels(page, isGreen);
    const meanInside = async (model: Uint8Array) => {
      const { page } = await open(t, model);
      const { data, width } = await readScreenPixels(page);
      const scale = width / (page.viewportSize()?.width ?? width);
      // The lower middle of the box.
      const rows = [(top + 2 * bottom) / 3, (top + 4 * bottom) / 5] as const;
      const columns = [(2 * left + right) / 3, (left + 2 * right) / 3] as const;
      let [sum, count] = [0, 0];
      for (let y = Math.round(rows[0] * scale); y < rows[1] * scale; y++) {
        for (let x = Math.round(columns[0] * scale); x < columns[1] * scale; x++, count++)
          sum += data[3 * (y * width + x)] ?? 0;
      }
      return sum / count;
    };
    const [plain, shadowed] = [
      await meanInside(createBoxGlb({ change })),
      await meanInside(createBoxGlb({ change, shadow })),
    ];
    assert.ok(plain - shadowed > 20, `${plain} without and ${shadowed} with a shadow`);
  });

  it('is not visible from below', async (t) => {
    const { page, frame } = await open(t, createBoxGlb({ shadow }));
    await hideToolbar(frame);
    const isVisible = async () => (await findPixels(page, isShadow)).count > 500;
    assert.equal(await isVisible(), true);
    await waitForPictureChange(page, async () => {
      for (let press = 0; press < 12; press++) await frame.locator('#view').press('ArrowDown');
    });
    assert.equal(await isVisible(), false);
  });

  const files: [reason: string, change: (gltf: Record<string, unknown>) => void][] = [
    ['of an older revision, without a shadow', () => {}],
    ...(
      [
        ['that is not an object', 'dark'],
        ['whose image is damaged', { rectangle: [-1, -1, 1, 1], y: 0, image: 'AAAA' }],
      ] as [string, unknown][]
    ).map(([reason, value]): (typeof files)[number] => [
      `with a shadow ${reason}`,
      (gltf) => Object.assign(gltf.asset as object, { extras: { clocheContactShadow: value } }),
    ]),
  ];
  for (const [reason, change] of files) {
    it(`a file ${reason} is shown without one, and without an error`, async (t) => {
      const { page, frame, consoleErrors } = await open(t, createBoxGlb({ change }));
      await hideToolbar(frame);
      assert.ok((await findPixels(page, isGreen)).count > 10_000);
      assert.ok((await findPixels(page, isShadow)).count < 500);
      assert.deepEqual(consoleErrors, []);
    });
  }
});

/** Its icons have the colors of the shadow. */
async function hideToolbar(frame: Frame): Promise<void> {
  await frame.evaluate(() => {
    (document.getElementById('toolbar') as HTMLElement).style.visibility = 'hidden';
  });
  await waitForStablePicture(frame.page());
}

/** Runs in each document before all scripts. */
function recordDrawings(): void {
  const counts: number[] = [];
  globalThis.drawnIndices = counts;
  const { drawElements } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.drawElements = function (...args) {
    counts.push(args[1]);
    drawElements.apply(this, args);
  };
}
