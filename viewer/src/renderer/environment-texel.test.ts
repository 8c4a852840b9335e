import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefilterEnvironment } from '../../build/environment/prefilter.ts';
import { decodeEnvironment, encodeEnvironment, UNITS_PER_STOP } from './environment-codec.ts';
import { createTexelTable, packTexels, RADIANCE_WEIGHTS, toTexel } from './environment-texel.ts';

/** As the shader does it. */
function readRadiance(texel: number): number {
  const [red, green] = new Uint8Array(new Uint32Array([texel]).buffer);
  return ((red ?? 0) / 255) * RADIANCE_WEIGHTS[0] + ((green ?? 0) / 255) * RADIANCE_WEIGHTS[1];
}

test('a texel has each radiance of the environment map within 0.1 %', () => {
  for (const { texels } of prefilterEnvironment()) {
    for (const radiance of texels)
      assert.ok(Math.abs(readRadiance(toTexel(radiance)) / radiance - 1) < 0.001, `${radiance}`);
  }
});

test('a texel between two others has the radiance between theirs', () => {
  // The high bytes differ: 2 and 3.
  const [a, b] = [0.0936, 0.0939];
  const channels = [a, b].map(
    (radiance) => new Uint8Array(new Uint32Array([toTexel(radiance)]).buffer),
  );
  const mixed = [0, 1].map(
    (index) => ((channels[0]?.[index] ?? 0) + (channels[1]?.[index] ?? 0)) / 2,
  );
  const radiance =
    ((mixed[0] ?? 0) / 255) * RADIANCE_WEIGHTS[0] + ((mixed[1] ?? 0) / 255) * RADIANCE_WEIGHTS[1];
  assert.ok(Math.abs(radiance - (a + b) / 2) < 0.0002, `${radiance}`);
  assert.notEqual(channels[0]?.[0], channels[1]?.[0]);
});

test('a radiance above the range has the largest texel', () => {
  assert.equal(toTexel(100), 0xffff_ffff - 0x00ff_0000);
});

test('the table has the texel of each decoded logarithm within 0.25 %', () => {
  const table = createTexelTable();
  for (const { logarithms } of decodeEnvironment(encodeEnvironment(prefilterEnvironment()), 128)) {
    const texels = new Uint32Array(packTexels(logarithms, table).buffer);
    for (const [index, logarithm] of logarithms.entries()) {
      const radiance = Math.min(2 ** (logarithm / UNITS_PER_STOP), 8);
      const error = readRadiance(texels[index] as number) / radiance - 1;
      assert.ok(Math.abs(error) < 0.0025, `${error} at ${radiance}`);
    }
  }
});
