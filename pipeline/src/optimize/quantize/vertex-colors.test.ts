import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Accessor, Document } from '@gltf-transform/core';
// @ts-expect-error: the package has no types
import validator from 'gltf-validator';
import {
  computeHeight,
  computeNoise,
  createGeometryDocument,
  createGrid,
} from '../../../testing/draco-models.ts';
import { runOptimize } from '../../../testing/run-optimize.ts';
import { linearToSrgb, toVertexColors } from '../../mesh/color.ts';
import { quantizeByteAttributes } from './byte-attributes.ts';

const { FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT } = Accessor.ComponentType;
const SIDE = 60;
const COUNT = (SIDE + 1) ** 2;

type Range = [low: number, high: number];

/** The colors of a scan: whole levels of sRGB, which change slowly, with the noise of a camera. */
function createScanColors([low, high]: Range): Uint16Array<ArrayBuffer> {
  const levels = Float32Array.from({ length: 3 * COUNT }, (_, index) => {
    const [vertex, channel] = [Math.floor(index / 3), index % 3];
    const [u, v] = [(vertex % (SIDE + 1)) / SIDE, Math.floor(vertex / (SIDE + 1)) / SIDE];
    const share = 0.5 + 0.5 * computeHeight(0.5 * u + 0.1 * channel, 0.5 * v);
    const level = low + (high - low) * share + 2 * computeNoise(u + channel, v);
    return Math.round(Math.min(Math.max(level, 0), 255));
  });
  return toVertexColors(levels.map((level) => level / 255));
}

/** Quantizes colors of four components. */
function quantizeColors(array: Uint16Array<ArrayBuffer> | Float32Array<ArrayBuffer>): Accessor {
  const document = new Document();
  const colors = document
    .createAccessor()
    .setType('VEC4')
    .setArray(array)
    .setNormalized(array instanceof Uint16Array);
  const primitive = document.createPrimitive().setAttribute('COLOR_0', colors);
  document.createMesh().addPrimitive(primitive);
  quantizeByteAttributes(document);
  return primitive.getAttribute('COLOR_0') as Accessor;
}

/** The largest difference of colors as they are displayed, in levels of sRGB. */
function measureDisplayedError(colors: Accessor, source: Uint16Array): number {
  let error = 0;
  for (let vertex = 0; vertex < colors.getCount(); vertex++) {
    const [red = 0, green = 0, blue = 0] = colors.getElement<number[]>(vertex, []);
    for (const [channel, value] of [red, green, blue].entries()) {
      const expected = linearToSrgb((source[4 * vertex + channel] as number) / 65_535);
      error = Math.max(error, 255 * Math.abs(linearToSrgb(value) - expected));
    }
  }
  return error;
}

describe('vertex colors', () => {
  for (const range of [
    [0, 20],
    [0, 40],
    [10, 90],
  ] satisfies Range[])
    it(`of the levels ${range.join(' to ')} are displayed with an error of less than a level`, () => {
      const source = createScanColors(range);
      const colors = quantizeColors(source);
      const error = measureDisplayedError(colors, source);
      assert.ok(error < 1, `${error} levels`);
      const again = quantizeColors(colors.getArray() as Uint16Array<ArrayBuffer>);
      assert.deepEqual(again.getArray(), colors.getArray());
    });

  it('have 8 bits if they are bright', () => {
    const source = createScanColors([90, 255]);
    const colors = quantizeColors(source);
    assert.equal(colors.getComponentType(), UNSIGNED_BYTE);
    const error = measureDisplayedError(colors, source);
    assert.ok(error < 1, `${error} levels`);
  });

  it('have 8 bits if only a few vertices are dark', () => {
    const source = createScanColors([90, 255]);
    source.set(createScanColors([0, 40]).subarray(0, source.length / 25));
    assert.equal(quantizeColors(source).getComponentType(), UNSIGNED_BYTE);
  });

  it('have 8 bits of alpha in any case', () => {
    const dark = createScanColors([0, 40]);
    for (let index = 3; index < dark.length; index += 4) dark[index] = (index * 7919) % 65_536;
    const colors = quantizeColors(dark);
    assert.equal(colors.getComponentType(), UNSIGNED_SHORT);
    for (let vertex = 0; vertex < COUNT; vertex++) {
      const expected = Math.round((255 * (dark[4 * vertex + 3] as number)) / 65_535) / 255;
      const alpha = colors.getElement<number[]>(vertex, [])[3] ?? 0;
      assert.ok(Math.abs(alpha - expected) < 1e-6, `${alpha}, not ${expected}`);
    }
  });

  it('stay floats if one is larger than 1', () => {
    const colors = quantizeColors(Float32Array.of(0.001, 0.001, 0.001, 1, 2, 0, 0, 1));
    assert.equal(colors.getComponentType(), FLOAT);
  });

  it('of 16 bits are valid in a model, with three components too', async () => {
    const grid = createGrid([SIDE, SIDE], (u, v) => [u, 0.1 * computeHeight(u, v), v]);
    const document = await createGeometryDocument(grid);
    const linear = createScanColors([0, 40]).filter((_, index) => index % 4 !== 3);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    const accessor = document
      .createAccessor()
      .setType('VEC3')
      .setArray(Float32Array.from(linear, (value) => value / 65_535))
      .setBuffer(document.getRoot().listBuffers()[0] ?? null);
    primitive?.setAttribute('COLOR_0', accessor);
    const { model, after } = await runOptimize(document);
    const colors = after.getRoot().listMeshes()[0]?.listPrimitives()[0]?.getAttribute('COLOR_0');
    assert.equal(colors?.getComponentType(), UNSIGNED_SHORT);
    assert.equal(colors?.getType(), 'VEC3');
    const report = await validator.validateBytes(model);
    const errors = report.issues.messages.filter(
      ({ severity }: { severity: number }) => severity === 0,
    );
    assert.deepEqual(errors, []);
  });
});
