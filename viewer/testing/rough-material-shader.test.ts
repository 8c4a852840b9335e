/** Without a GPU, rough materials have a shader of their own, which shows what that of three.js shows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import type { LooseGltfJson } from './box-models.ts';
import { getLargestDifference, takeModelPicture } from './embedded-viewer.ts';
import { createBoxes, LIGHT, NO_LIGHT } from './material-boxes.ts';
import { PRETEND_GPU } from './pretend-gpu.ts';

declare global {
  var calls: { hasReflectance: boolean[]; uploadedFaces: number };
}

/** Of 255: the polynomials are not exact. */
const TOLERANCE = 4;
const MEAN_TOLERANCE = 0.2;

function createMaterial(pbr: LooseGltfJson, others: LooseGltfJson = {}): LooseGltfJson {
  return { pbrMetallicRoughness: { metallicFactor: 0, ...pbr }, ...others };
}

const ROUGH: readonly LooseGltfJson[] = [
  ...[0.5, 0.6, 0.8, 1].flatMap((roughnessFactor) =>
    [
      [0.9, 0.3, 0.05, 1],
      [1, 1, 1, 1],
      [0, 0, 0, 1],
    ].map((baseColorFactor) => createMaterial({ roughnessFactor, baseColorFactor })),
  ),
  createMaterial({ baseColorTexture: { index: 0 } }),
  createMaterial({}, { emissiveFactor: [0.02, 0.1, 0], doubleSided: true }),
  createMaterial({ baseColorFactor: [0, 0.2, 0.8, 0.5] }, { alphaMode: 'BLEND' }),
];

/** Of each, one value or image is too much. */
const OTHERS: Readonly<Record<string, LooseGltfJson>> = {
  metal: createMaterial({ metallicFactor: 0.01 }),
  smoother: createMaterial({ roughnessFactor: 0.49 }),
  'out of range': createMaterial({ roughnessFactor: 2 }),
  'with a normal map': createMaterial({}, { normalTexture: { index: 0 } }),
  'with occlusion': createMaterial({}, { occlusionTexture: { index: 0 } }),
  'with an image of the roughness': createMaterial({ metallicRoughnessTexture: { index: 0 } }),
};

function countCalls(): void {
  globalThis.calls = { hasReflectance: [], uploadedFaces: 0 };
  const gl = WebGL2RenderingContext.prototype;
  const { linkProgram, texSubImage2D, TEXTURE_CUBE_MAP_POSITIVE_X: firstFace } = gl;
  Object.assign(gl, {
    linkProgram(this: WebGL2RenderingContext, program: WebGLProgram) {
      linkProgram.call(this, program);
      // The shadow has no color.
      if (this.getUniformLocation(program, 'diffuse') === null) return;
      const location = this.getUniformLocation(program, 'reflectance[0]');
      globalThis.calls.hasReflectance.push(location !== null);
    },
    texSubImage2D(this: WebGL2RenderingContext, ...args: Parameters<typeof texSubImage2D>) {
      if (args[0] >= firstFace && args[0] < firstFace + 6) globalThis.calls.uploadedFaces++;
      texSubImage2D.apply(this, args);
    },
  });
}

describe('the shader for rough materials', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function takePicture(t: it.TestContext, model: Uint8Array<ArrayBuffer>, script = '') {
    const scripts = `(${countCalls})(); ${script}`;
    const { frame, data } = await takeModelPicture(t, browser, model, scripts);
    return { data, ...(await frame.evaluate(() => globalThis.calls)) };
  }

  it('shows what that of three.js shows, without the environment map', async (t) => {
    const short = await takePicture(t, await createBoxes(ROUGH));
    const long = await takePicture(t, await createBoxes(ROUGH, { [LIGHT]: NO_LIGHT }));
    assert.ok(short.hasReflectance.length > 0 && !short.hasReflectance.includes(false));
    assert.equal(short.uploadedFaces, 0);
    assert.ok(long.hasReflectance.length > 0 && !long.hasReflectance.includes(true));
    assert.ok(long.uploadedFaces > 0);
    const largest = getLargestDifference(short.data, long.data);
    assert.ok(largest <= TOLERANCE, `${largest} of 255`);
    const sum = short.data.reduce((s, v, i) => s + Math.abs(v - (long.data[i] as number)), 0);
    assert.ok(sum / short.data.length < MEAN_TOLERANCE, `${sum / short.data.length} of 255`);
    assert.ok(new Set(short.data).size > 100, 'the picture has many colors');
  });

  for (const [name, material] of Object.entries(OTHERS))
    it(`is not used for a material that is ${name}`, async (t) => {
      const { hasReflectance, uploadedFaces } = await takePicture(t, await createBoxes([material]));
      assert.deepEqual(hasReflectance, [false]);
      assert.ok(uploadedFaces > 0);
    });

  it('is not used for one of several materials: all have the same shader', async (t) => {
    const metal = createMaterial({ metallicFactor: 1 });
    const model = await createBoxes([createMaterial({}), metal]);
    const { hasReflectance, uploadedFaces } = await takePicture(t, model);
    assert.deepEqual(hasReflectance, [false]);
    assert.ok(uploadedFaces > 0);
  });

  it('is not used for a material with an extension', async (t) => {
    const name = 'KHR_materials_clearcoat';
    const material = createMaterial({}, { extensions: { [name]: { clearcoatFactor: 1 } } });
    const model = await createBoxes([material], { [name]: {} });
    assert.deepEqual((await takePicture(t, model)).hasReflectance, [false]);
  });

  it('is not used with a GPU', async (t) => {
    const model = await createBoxes([createMaterial({})]);
    const { hasReflectance } = await takePicture(t, model, PRETEND_GPU);
    assert.deepEqual(hasReflectance, [false]);
  });
});
