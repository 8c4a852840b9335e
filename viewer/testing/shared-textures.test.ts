/** Shaders read coordinates and texels that textures share once. They show the same as those of three.js, which read them for each texture. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { createBoxGlb, type LooseGltfJson } from './box-models.ts';
import {
  getLargestDifference,
  openEmbeddedViewer,
  readScreenPixels,
  takeModelPicture,
  waitForControls,
} from './embedded-viewer.ts';

declare global {
  /** The names of the uniforms that the shaders of the document use. */
  var usedUniforms: Set<string> | undefined;
}

const TRANSFORM = 'KHR_texture_transform';
/** Stripes in two directions, so that coordinates, channels and images cannot be confused. */
const STRIPES = ['#20e0a0', '#f04010', '#3060ff', '#e0e040'];
const SIZE = 64;

async function createImage(isUpright: boolean): Promise<Uint8Array> {
  const width = SIZE / STRIPES.length;
  const stripes = STRIPES.map((background, index) => ({
    input: {
      create: {
        ...(isUpright ? { width, height: SIZE } : { width: SIZE, height: width }),
        ...{ channels: 3 as const, background },
      },
    },
    ...(isUpright ? { left: index * width, top: 0 } : { left: 0, top: index * width }),
  }));
  const create = { width: SIZE, height: SIZE, channels: 3 as const, background: '#000' };
  return await sharp({ create }).composite(stripes).png().toBuffer();
}

/** A texture of the box: 0 and 1 are images; 2 is the image 0 with another sampler; the image of 3 is damaged. */
const texture = (index: number, transform?: LooseGltfJson) => ({
  index,
  ...(transform && { extensions: { [TRANSFORM]: transform } }),
});

async function createTexturedBox(material: LooseGltfJson): Promise<Uint8Array<ArrayBuffer>> {
  return createBoxGlb({
    extraBufferViews: [await createImage(true), await createImage(false), new Uint8Array(16)],
    change: (gltf) => {
      Object.assign(gltf, {
        extensionsUsed: [TRANSFORM, ...Object.keys(material.extensions ?? {})],
        materials: [material],
        textures: [0, 1, 0, 2].map((source, index) => ({ source, sampler: index === 2 ? 1 : 0 })),
        samplers: [{}, { wrapS: 33071, wrapT: 33071 }],
        images: [4, 5, 6].map((bufferView) => ({ bufferView, mimeType: 'image/png' })),
      });
    },
  });
}

/** Runs in the document: records what the linked programs use. `plain`: removes the definitions, which leaves the shaders of three.js. */
function recordUniforms(plain: boolean): void {
  const names = new Set<string>();
  globalThis.usedUniforms = names;
  const { linkProgram, shaderSource } = WebGL2RenderingContext.prototype;
  Object.assign(WebGL2RenderingContext.prototype, {
    shaderSource(this: WebGL2RenderingContext, shader: WebGLShader, source: string) {
      const definitions = /#define (SHARED_|(METALNESS|OCCLUSION)_IN_).*/g;
      shaderSource.call(this, shader, plain ? source.replace(definitions, '') : source);
    },
    linkProgram(this: WebGL2RenderingContext, program: WebGLProgram) {
      linkProgram.call(this, program);
      const count = this.getProgramParameter(program, this.ACTIVE_UNIFORMS);
      for (let index = 0; index < count; index++)
        names.add(this.getActiveUniform(program, index)?.name ?? '');
    },
  });
}

const whole = { offset: [0.1, 0.3], scale: [2, 1] };
const base = (first: object, second: object = first) => ({
  pbrMetallicRoughness: { baseColorTexture: first, metallicRoughnessTexture: second },
});

describe('textures that share', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function takePicture(t: it.TestContext, model: Uint8Array<ArrayBuffer>, plain: boolean) {
    const script = `(${recordUniforms})(${plain})`;
    const { frame, data } = await takeModelPicture(t, browser, model, script);
    const names = await frame.evaluate(() => [...(globalThis.usedUniforms ?? [])]);
    const transforms = names.filter((name) => name.endsWith('Transform'));
    const samplers = ['metalnessMap', 'aoMap'].filter((name) => names.includes(name));
    return { data, used: [...transforms, ...samplers].sort() };
  }

  const cases: [what: string, material: LooseGltfJson, used: string[]][] = [
    [
      'coordinates, and texels of roughness, metalness and occlusion',
      {
        ...base(texture(1, whole), texture(0, whole)),
        occlusionTexture: texture(0, whole),
        normalTexture: texture(1, whole),
        emissiveTexture: texture(1, whole),
        emissiveFactor: [0.2, 0.2, 0.2],
      },
      ['mapTransform'],
    ],
    [
      'coordinates, without a base color',
      { occlusionTexture: texture(0, whole), normalTexture: texture(1, whole) },
      ['aoMap', 'normalMapTransform'],
    ],
    [
      'texels of roughness and metalness only, because the occlusion has other coordinates',
      { ...base(texture(1)), occlusionTexture: texture(1, { offset: [0.25, 0] }) },
      ['aoMap', 'aoMapTransform', 'mapTransform', 'metalnessMapTransform', 'roughnessMapTransform'],
    ],
    [
      'coordinates with those of extensions',
      {
        ...base(texture(1, whole), texture(0, whole)),
        extensions: {
          KHR_materials_clearcoat: {
            clearcoatFactor: 0.7,
            clearcoatTexture: texture(0, whole),
            clearcoatNormalTexture: texture(1, whole),
          },
          KHR_materials_anisotropy: {
            anisotropyStrength: 0.6,
            anisotropyTexture: texture(0, whole),
          },
        },
      },
      ['mapTransform'],
    ],
    [
      'coordinates, but not with those of an extension',
      {
        ...base(texture(1)),
        extensions: {
          KHR_materials_clearcoat: {
            clearcoatFactor: 0.7,
            clearcoatTexture: texture(0, whole),
          },
        },
      },
      ['clearcoatMapTransform', 'mapTransform', 'metalnessMapTransform', 'roughnessMapTransform'],
    ],
    [
      'coordinates, and not the image of the occlusion',
      { ...base(texture(0)), occlusionTexture: texture(1) },
      ['aoMap', 'mapTransform'],
    ],
    [
      'coordinates and the image of the occlusion, but not its sampler',
      { ...base(texture(0, whole)), occlusionTexture: texture(2, whole) },
      ['aoMap', 'mapTransform'],
    ],
  ];
  for (const [what, material, used] of cases)
    it(`${what} look as with the shaders of three.js`, async (t) => {
      const model = await createTexturedBox(material);
      const shared = await takePicture(t, model, false);
      const plain = await takePicture(t, model, true);
      assert.deepEqual(shared.used, used);
      assert.ok(plain.used.length > used.length || plain.used.includes('metalnessMap'), 'plain');
      const largest = getLargestDifference(shared.data, plain.data);
      assert.ok(largest <= 1, `${largest} of 255`);
      assert.ok(new Set(shared.data).size > 50, 'the picture has many colors');
    });

  it('coordinates with one that is damaged look as without that', async (t) => {
    const normalTexture = texture(1, whole);
    const pictures = ['damaged', 'none'].map(async (image) => {
      const roughness = { roughnessFactor: 0.4, metallicRoughnessTexture: texture(0, whole) };
      const color = image === 'damaged' && { baseColorTexture: texture(3, whole) };
      const material = { pbrMetallicRoughness: { ...roughness, ...color }, normalTexture };
      const model = await createTexturedBox(material);
      const { page, frame } = await openEmbeddedViewer(t, browser, { model });
      await waitForControls(frame);
      return (await readScreenPixels(page)).data;
    });
    const [damaged, none] = await Promise.all(pictures);
    assert.ok(damaged && none && getLargestDifference(damaged, none) <= 1);
    assert.ok(new Set(damaged).size > 50, 'the picture has many colors');
  });
});
