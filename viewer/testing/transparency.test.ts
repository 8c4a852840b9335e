import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { createBoxGlb, type LooseGltfJson } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  waitForControls,
  waitUntilLoaded,
} from './embedded-viewer.ts';

/** Members of the glTF material, and an alpha. */
type Material = LooseGltfJson & { alpha: number };

declare global {
  var linkedPrograms: number | undefined;
}

/** A box for each material, one behind the other. */
function createBoxes(...materials: readonly Material[]) {
  return createBoxGlb({
    change: (gltf) => {
      const [mesh] = gltf.meshes as { primitives: object[] }[];
      gltf.meshes = materials.map((_, index) => ({
        primitives: mesh?.primitives.map((primitive) => ({ ...primitive, material: index })),
      }));
      gltf.nodes = materials.map((_, index) => ({ mesh: index, translation: [0, 0, -3 * index] }));
      gltf.scenes = [{ nodes: materials.map((_, index) => index) }];
      gltf.materials = materials.map(({ alpha, ...members }) => ({
        pbrMetallicRoughness: { baseColorFactor: [0, 0.6, 0.1, alpha], metallicFactor: 0 },
        ...members,
      }));
    },
  });
}

describe('the transparency of a material', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function countGreen(t: it.TestContext, material: Material): Promise<number> {
    const served = { model: createBoxes(material) };
    const { page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, served);
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    assert.deepEqual(consoleErrors, []);
    return (await findPixels(page, isGreen)).count;
  }

  const opaque: [name: string, material: Material][] = [
    ['is opaque by default, whatever its alpha', { alpha: 0.05 }],
    [
      'is opaque with a mask, above its cutoff',
      { alpha: 0.3, alphaMode: 'MASK', alphaCutoff: 0.2 },
    ],
  ];
  for (const [name, material] of opaque)
    it(name, async (t) => {
      const expected = await countGreen(t, { alpha: 1 });
      assert.ok(expected > 10_000, `${expected} green pixels`);
      assert.equal(await countGreen(t, material), expected);
    });

  const transparent: [name: string, material: Material][] = [
    ['is its alpha if it is blended', { alpha: 0.05, alphaMode: 'BLEND' }],
    [
      'is complete with a mask, below its cutoff',
      { alpha: 0.1, alphaMode: 'MASK', alphaCutoff: 0.2 },
    ],
  ];
  for (const [name, material] of transparent)
    it(name, async (t) => assert.equal(await countGreen(t, material), 0));

  async function countPrograms(t: it.TestContext, ...materials: Material[]): Promise<number> {
    const script = () => {
      const { linkProgram } = WebGL2RenderingContext.prototype;
      WebGL2RenderingContext.prototype.linkProgram = function (program) {
        globalThis.linkedPrograms = (globalThis.linkedPrograms ?? 0) + 1;
        linkProgram.call(this, program);
      };
    };
    const served = { model: createBoxes(...materials) };
    const { frame } = await openEmbeddedViewer(t, browser, served, { script });
    assert.equal(await waitUntilLoaded(frame), 'ready');
    return frame.evaluate(() => globalThis.linkedPrograms ?? 0);
  }

  it('needs no shader of its own', async (t) => {
    const expected = await countPrograms(t, { alpha: 1 });
    const blended = { alpha: 0.5, alphaMode: 'BLEND' };
    const doubleSided = { alpha: 1, doubleSided: true };
    assert.ok(expected > 0);
    assert.equal(await countPrograms(t, { alpha: 1 }, blended, doubleSided), expected);
  });
});
