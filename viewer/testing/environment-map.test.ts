import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { createBoxGlb, type LooseGltfJson } from './box-models.ts';
import { openEmbeddedViewer, waitForControls } from './embedded-viewer.ts';

type TestWindow = Window & {
  /** For each upload of a face of the sharpest level: whether it has light. */
  sharpFaces?: boolean[];
};

const IMAGE = { create: { width: 4, height: 4, channels: 3, background: '#ffffff' } } as const;

type Material = { pbrMetallicRoughness: object; extensions?: object };

describe('the sharpest level of the environment map', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  /** Opens a box with a material, and returns whether the level that was uploaded last has light. */
  const isSharp = async (t: Parameters<typeof openEmbeddedViewer>[0], changed: object) => {
    const change = (gltf: LooseGltfJson) => {
      const [material] = gltf.materials as [Material];
      const { extensions, ...factors } = changed as Partial<Material>;
      Object.assign(material.pbrMetallicRoughness, factors);
      if (extensions) Object.assign(material, { extensions });
      if (extensions) gltf.extensionsUsed = Object.keys(extensions);
      gltf.textures = [{ source: 0 }];
      gltf.images = [{ bufferView: 4, mimeType: 'image/png' }];
    };
    const extraBufferViews = [await sharp(IMAGE).png().toBuffer()];
    const { frame } = await openEmbeddedViewer(
      t,
      browser,
      { model: createBoxGlb({ change, extraBufferViews }) },
      { script: recordSharpFaces },
    );
    await waitForControls(frame);
    const faces = await frame.evaluate(() => (window as TestWindow).sharpFaces ?? []);
    assert.ok(faces.length >= 6);
    return faces.slice(-6).every(Boolean);
  };

  it('is left empty for rough surfaces', async (t) => {
    assert.equal(await isSharp(t, { roughnessFactor: 0.2 }), false);
  });

  it('is there for smooth surfaces', async (t) => {
    assert.equal(await isSharp(t, { roughnessFactor: 0.1 }), true);
  });

  it('is there for a roughness from an image', async (t) => {
    const metallicRoughnessTexture = { index: 0 };
    assert.equal(await isSharp(t, { roughnessFactor: 1, metallicRoughnessTexture }), true);
  });

  it('is there for a clear coat', async (t) => {
    const extensions = { KHR_materials_clearcoat: { clearcoatFactor: 1 } };
    assert.equal(await isSharp(t, { roughnessFactor: 1, extensions }), true);
  });
});

/** Runs in the page. */
function recordSharpFaces(): void {
  const sharpFaces: boolean[] = [];
  Object.assign(window, { sharpFaces });
  const { texSubImage2D, TEXTURE_CUBE_MAP_POSITIVE_X: firstFace } =
    WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.texSubImage2D = function (this: object, ...args: unknown[]) {
    const [target = 0, level, , , size] = args as number[];
    const data = args.at(-1);
    const isFace = target >= firstFace && target < firstFace + 6 && level === 0;
    if (isFace && data instanceof Uint8Array && size === 128) sharpFaces.push(data.some(Boolean));
    texSubImage2D.apply(this as never, args as never);
  } as never;
}
