import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  FRAMING_POINTS_MEMBER,
  type FramingPoints,
  MAX_FRAMING_COORDINATE,
} from '@cloche/contract/framing-points';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import {
  createBoxGlb,
  createKtx2BoxGlb,
  createMeshoptBoxGlb,
  type LooseGltfJson,
} from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  selectInMenu,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
  waitUntilLoaded,
} from './embedded-viewer.ts';

const isPink = (red: number, green: number, blue: number) =>
  red > 120 && blue > 90 && green < red * 0.6;

describe('rendering', { concurrency: 3 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  const sizes: [name: string, size: [number, number, number]][] = [
    ['1 mm', [1e-3, 1e-3, 1e-3]],
    ['a ring lying flat', [0.02, 0.002, 0.02]],
    ['a house', [10, 8, 12]],
    ['a tower', [30, 300, 30]],
    ['10 km', [1e4, 1e4, 1e4]],
  ];
  for (const [name, size] of sizes) {
    it(`fills the frame with ${name}, without cutting it off`, async (t) => {
      const { page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
        model: createBoxGlb({ size }),
      });
      assert.equal(await waitUntilLoaded(frame), 'ready');
      await waitForControls(frame);
      const { left, right, top, bottom, count } = await findPixels(page, isGreen);
      const fill = Math.max((right - left) / 600, (bottom - top) / 400);
      assert.ok(fill > 0.7 && fill < 0.85, `${fill} of the frame`);
      assert.ok(count > 0.5 * (right - left) * (bottom - top) * 0.5, 'the box is filled');
      assert.deepEqual(consoleErrors, []);
    });
  }

  it('frames a model by the points that its file has, and measures it if they are damaged', async (t) => {
    const corners = Uint16Array.from({ length: 24 }, (_, index) =>
      (Math.floor(index / 3) >> (index % 3)) & 1 ? MAX_FRAMING_COORDINATE : 0,
    );
    const points = Buffer.from(corners.buffer).toString('base64');
    const box: FramingPoints = { min: [-1, -1, -1], max: [1, 1, 1], points };
    const measureFill = async (framing: FramingPoints) => {
      const change = ({ asset }: LooseGltfJson) =>
        Object.assign(asset as object, { extras: { [FRAMING_POINTS_MEMBER]: framing } });
      const served = { model: createBoxGlb({ change }) };
      const { page, frame } = await openEmbeddedViewer(t, browser, served);
      assert.equal(await waitUntilLoaded(frame), 'ready');
      await waitForControls(frame);
      const { top, bottom } = await findPixels(page, isGreen);
      return (bottom - top) / 400;
    };
    const fill = await measureFill(box);
    assert.ok(fill > 0.3 && fill < 0.42, `${fill} of the frame: a box twice as large fills it`);
    const damagedPoints = ['?', '', 'AAAA', 'AAAAAAAAAAA='].map((points) => ({ ...box, points }));
    const noBox = { points };
    const tooLarge = { ...box, max: [1e300, 1, 1] };
    for (const damaged of [...damagedPoints, noBox, tooLarge]) {
      const fill = await measureFill(damaged as FramingPoints);
      assert.ok(fill > 0.7, `${fill} of the frame`);
    }
  });

  it('shows an error if a shader cannot be compiled', async (t) => {
    const script = () => {
      const { shaderSource } = WebGL2RenderingContext.prototype;
      WebGL2RenderingContext.prototype.shaderSource = function (shader, source) {
        shaderSource.call(this, shader, `${source}\nsyntax error`);
      };
    };
    const served = { model: createBoxGlb() };
    const { frame, consoleErrors } = await openEmbeddedViewer(t, browser, served, { script });
    assert.equal(await waitUntilLoaded(frame), 'failed');
    assert.match(await frame.locator('#error').innerText(), /This 3D view cannot be shown/);
    assert.match(consoleErrors.join('\n'), /viewer\.failed: .*shader could not be compiled/);
  });

  it('shows a model with a shader directive in a material name', async (t) => {
    const change = (gltf: LooseGltfJson) => {
      gltf.materials = (gltf.materials as object[]).map((material) => ({
        ...material,
        name: 'a\n#error b',
      }));
    };
    const { page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
      model: createBoxGlb({ change }),
    });
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    assert.deepEqual(consoleErrors, []);
  });

  it('does not change the hue of a color', async (t) => {
    const { page, frame } = await openEmbeddedViewer(t, browser, {
      model: createBoxGlb({ color: [0.5, 0.5, 0.5] }),
    });
    await waitUntilLoaded(frame);
    await waitForControls(frame);
    // Linear 0.5 is sRGB 188: some sides are brighter, some darker, none of another hue.
    const gray = await findPixels(
      page,
      (red, green, blue) =>
        Math.abs(red - green) < 4 && Math.abs(green - blue) < 4 && red > 150 && red < 215,
    );
    assert.ok(gray.count > 20_000, `${gray.count} pixels`);
  });

  const compressed: [
    name: string,
    model: () => Promise<Uint8Array>,
    isExpectedColor: typeof isGreen,
    files: RegExp,
  ][] = [
    ['meshopt', createMeshoptBoxGlb, isGreen, /viewer-/],
    [
      'KTX2',
      async () => createKtx2BoxGlb([230, 30, 200]),
      isPink,
      /basis-loader.*basis_transcoder.*wasm/,
    ],
  ];
  for (const [name, model, isExpectedColor, files] of compressed) {
    it(`reads ${name} with a decoder from our own origin`, async (t) => {
      const { server, page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
        model: await model(),
      });
      assert.equal(await waitUntilLoaded(frame), 'ready');
      await waitForControls(frame);
      assert.ok((await findPixels(page, isExpectedColor)).count > 10_000);
      assert.match(server.requestedPaths.join(' '), files);
      assert.deepEqual(consoleErrors, []);
    });
  }

  it('shows the background through transmissive materials', async (t) => {
    const model = createBoxGlb({
      color: [1, 1, 1],
      change: (gltf) => {
        const [material] = gltf.materials as object[];
        const extensions = { KHR_materials_transmission: { transmissionFactor: 1 } };
        Object.assign(material ?? {}, { extensions });
        gltf.extensionsUsed = Object.keys(extensions);
      },
    });
    const { page, frame, consoleErrors } = await openEmbeddedViewer(
      t,
      browser,
      { model },
      { script: darkenBackground },
    );
    await waitUntilLoaded(frame);
    await waitForControls(frame);
    await frame.evaluate(() => document.getElementById('toolbar')?.remove());
    await waitForStablePicture(page);
    const white = await findPixels(page, (red, green, blue) => Math.min(red, green, blue) > 200);
    assert.ok(white.count < 2000, `${white.count} white pixels`);
    const dark = await findPixels(page, (red, green, blue) => Math.max(red, green, blue) < 130);
    assert.ok(dark.count > 200_000, `${dark.count} dark pixels`);
    assert.deepEqual(consoleErrors, []);
  });

  it('adapts to the size of the frame', async (t) => {
    const { page, frame } = await openEmbeddedViewer(t, browser, { model: createBoxGlb() });
    await waitUntilLoaded(frame);
    await waitForControls(frame);
    const wide = await findPixels(page, isGreen);
    await waitForPictureChange(page, () =>
      page.locator('iframe').evaluate((iframe) => {
        Object.assign(iframe.style, { width: '240px', height: '380px' });
      }),
    );
    const narrow = await findPixels(page, isGreen);
    assert.ok(wide.bottom - wide.top > 290, 'limited by the height');
    assert.ok(narrow.right < 240 && narrow.right - narrow.left > 160, 'limited by the width');
  });

  it('applies the variant that is selected in the menu', async (t) => {
    const model = createAnimatedBoxGlb({ animations: [], variants: ['Pink <b>'] });
    const { page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, { model });
    await waitUntilLoaded(frame);
    await waitForControls(frame);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    await waitForPictureChange(page, () => selectInMenu(frame, 'Variants', 'Pink <b>'));
    assert.ok((await findPixels(page, isPink)).count > 10_000);
    await waitForPictureChange(page, () => selectInMenu(frame, 'Variants', 'Original'));
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    assert.deepEqual(consoleErrors, []);
  });
});

/** Runs in the page: a dark background, in front of which an opaque white box is visible. */
function darkenBackground() {
  new MutationObserver((_, observer) => {
    observer.disconnect();
    for (const name of ['--background-center', '--background-edge']) {
      document.documentElement.style.setProperty(name, '#26282c');
    }
  }).observe(document, { childList: true });
}
