/** Without a GPU, shaders decode the colors of textures. They are those that the browser decodes with a GPU. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { createBoxGlb, type LooseGltfJson } from './box-models.ts';
import { getLargestDifference, takeModelPicture } from './embedded-viewer.ts';
import { PRETEND_GPU } from './pretend-gpu.ts';

declare global {
  /** The formats of the textures that get images. */
  var textureFormats: number[] | undefined;
}

/** Of WebGL. */
const [SRGB8_ALPHA8, RGBA8] = [0x8c43, 0x8058];
/** Of 255. */
const TOLERANCE = 1;
/** The columns of the image, from dark to light. */
const COLORS = [
  '#040302',
  '#0b1020',
  '#20140c',
  '#503020',
  '#8a4a1e',
  '#c8a060',
  '#fff0dc',
  '#fff',
];
const SIZE = 256;

/** A box with color textures. `extensions`: those of its material. `mode`: 0 for points. */
async function createColoredBox(material: LooseGltfJson, extensions: LooseGltfJson = {}, mode = 4) {
  const width = SIZE / COLORS.length;
  const columns = COLORS.map((background, index) => ({
    input: { create: { width, height: SIZE, channels: 3 as const, background } },
    left: index * width,
    top: 0,
  }));
  const background = '#000';
  const image = sharp({ create: { width: SIZE, height: SIZE, channels: 3, background } });
  return createBoxGlb({
    extraBufferViews: [await image.composite(columns).png().toBuffer()],
    change: (gltf) => {
      const [mesh] = gltf.meshes as { primitives: object[] }[];
      Object.assign(mesh?.primitives[0] ?? {}, { mode });
      Object.assign(gltf, {
        extensionsUsed: Object.keys(extensions),
        materials: [{ ...material, extensions }],
        textures: [{ source: 0, sampler: 0 }],
        // Boundaries between colors are sharp: averages of encoded colors are others than those of light.
        samplers: [{ magFilter: 9728, minFilter: 9728 }],
        images: [{ bufferView: 4, mimeType: 'image/png' }],
      });
    },
  });
}

function recordFormats(): void {
  const formats: number[] = [];
  globalThis.textureFormats = formats;
  const { texStorage2D } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.texStorage2D = function (...args) {
    if (args[3] === 256) formats.push(args[2]);
    texStorage2D.apply(this, args);
  };
}

describe('the colors of textures', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function open(t: it.TestContext, model: Uint8Array<ArrayBuffer>, hasGpu: boolean) {
    const script = `(${recordFormats})(); ${hasGpu ? PRETEND_GPU : ''}`;
    const { frame, data } = await takeModelPicture(t, browser, model, script);
    return { data, formats: await frame.evaluate(() => globalThis.textureFormats) };
  }

  const base = {
    pbrMetallicRoughness: {
      baseColorTexture: { index: 0 },
      metallicFactor: 0,
      roughnessFactor: 0.4,
    },
  };
  const emissive = { emissiveFactor: [1, 1, 1], emissiveTexture: { index: 0 } };
  const sheen = {
    KHR_materials_sheen: { sheenColorFactor: [1, 1, 1], sheenColorTexture: { index: 0 } },
  };
  const cases: [string, model: Parameters<typeof createColoredBox>, format: number][] = [
    ['of a base color', [base], RGBA8],
    ['of a base color, without light', [base, { KHR_materials_unlit: {} }], RGBA8],
    ['of points', [base, {}, 0], RGBA8],
    ['that emit light', [emissive], RGBA8],
    ['that three.js cannot decode in a shader', [base, sheen], SRGB8_ALPHA8],
  ];
  for (const [name, model, format] of cases)
    it(`${name} are the same without a GPU`, async (t) => {
      const file = await createColoredBox(...model);
      const expected = await open(t, file, true);
      const actual = await open(t, file, false);
      assert.deepEqual([expected.formats, actual.formats], [[SRGB8_ALPHA8], [format]]);
      const largest = getLargestDifference(actual.data, expected.data);
      assert.ok(largest <= TOLERANCE, `${largest} of 255`);
      assert.ok(new Set(actual.data).size > 20, 'the picture has many colors');
    });
});
