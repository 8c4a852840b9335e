/** The short shader of build/image-based-lighting.ts shows what that of three.js shows, and the formulas of its last steps hold. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import type { LooseGltfJson } from './box-models.ts';
import { getLargestDifference, takeModelPicture } from './embedded-viewer.ts';
import { createBoxes, LIGHT, NO_LIGHT } from './material-boxes.ts';

declare global {
  /** For each program, whether it multiplies by the rotation of the environment map: three.js does, the short shader does not. */
  var rotatesEnvironment: boolean[] | undefined;
}

type Color = readonly [red: number, green: number, blue: number];

/** Of 255. The order of the operations differs, so a channel may be rounded differently. */
const TOLERANCE = 1;

/** Metal in three steps, from left to right, roughness from front to back; the last one has textures. Without metal, rough ones have another shader. */
const MATERIALS: readonly LooseGltfJson[] = [
  ...[0, 0.3, 1].flatMap((roughnessFactor) =>
    [roughnessFactor < 0.5 ? 0 : 0.1, 0.5, 1].map((metallicFactor) => ({
      pbrMetallicRoughness: {
        ...{ baseColorFactor: [0.9, 0.3, 0.05, 1], metallicFactor, roughnessFactor },
      },
    })),
  ),
  {
    pbrMetallicRoughness: { metallicFactor: 0.2, roughnessFactor: 0.5 },
    occlusionTexture: { index: 0 },
    normalTexture: { index: 0 },
    emissiveFactor: [0.02, 0.1, 0],
  },
];

function recordPrograms(): void {
  globalThis.rotatesEnvironment = [];
  const { linkProgram } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.linkProgram = function (program) {
    linkProgram.call(this, program);
    const rotation = this.getUniformLocation(program, 'envMapRotation');
    globalThis.rotatesEnvironment?.push(rotation !== null);
  };
}

describe('the shader for image-based lighting', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function takePicture(t: it.TestContext, model: Uint8Array<ArrayBuffer>) {
    const { frame, ...picture } = await takeModelPicture(t, browser, model, recordPrograms);
    return { ...picture, programs: await frame.evaluate(() => globalThis.rotatesEnvironment) };
  }

  it('shows materials as that of three.js, which a model with a light has', async (t) => {
    const short = await takePicture(t, await createBoxes(MATERIALS));
    const long = await takePicture(t, await createBoxes(MATERIALS, { [LIGHT]: NO_LIGHT }));
    assert.ok(short.programs?.length && !short.programs.includes(true), 'the short shader is used');
    assert.ok(long.programs?.includes(true), 'that of three.js is used');
    const largest = getLargestDifference(short.data, long.data);
    assert.ok(largest <= TOLERANCE, `${largest} of 255`);
    assert.ok(new Set(short.data).size > 100, 'the picture has many colors');
  });

  it('is that of three.js for a material with an extension', async (t) => {
    const name = 'KHR_materials_clearcoat';
    const material = { extensions: { [name]: { clearcoatFactor: 1 } } };
    const { programs } = await takePicture(t, await createBoxes([material], { [name]: {} }));
    assert.ok(programs?.includes(true));
  });

  const colors: readonly Color[] = [
    [0.001, 0.001, 0.001],
    [0.004, 0.002, 0.003],
    [0.03, 0.2, 0.1],
    [0.5, 0.4, 0.3],
    [0.9, 0.1, 0.2],
    [1, 1, 1],
  ];
  for (const color of colors)
    it(`shows ${color.join(', ')}, linear and unlit, as the formulas do`, async (t) => {
      const material = {
        pbrMetallicRoughness: { baseColorFactor: [...color, 1] },
        extensions: { KHR_materials_unlit: {} },
      };
      const model = await createBoxes([material], { KHR_materials_unlit: {} });
      const { data, width } = await takePicture(t, model);
      const center = (Math.floor(data.length / 3 / width / 2) * width + Math.floor(width / 2)) * 3;
      const shown = [...data.subarray(center, center + 3)];
      const expected = mapTone(color).map(encodeSrgb);
      for (const [channel, value] of shown.entries())
        assert.ok(Math.abs(value - (expected[channel] ?? 0)) <= 0.6, `${shown} ${expected}`);
    });
});

/** Khronos PBR Neutral: https://github.com/KhronosGroup/ToneMapping/tree/main/PBR_Neutral */
function mapTone(color: Color): number[] {
  const smallest = Math.min(...color);
  const offset = smallest < 0.08 ? smallest - 6.25 * smallest ** 2 : 0.04;
  const shifted = color.map((value) => value - offset);
  const peak = Math.max(...shifted);
  const start = 0.8 - 0.04;
  if (peak < start) return shifted;
  const newPeak = 1 - (1 - start) ** 2 / (peak + 1 - 2 * start);
  const desaturation = 1 - 1 / (0.15 * (peak - newPeak) + 1);
  return shifted.map(
    (value) => ((value * newPeak) / peak) * (1 - desaturation) + newPeak * desaturation,
  );
}

/** IEC 61966-2-1, of 255. */
function encodeSrgb(value: number): number {
  return 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
}
