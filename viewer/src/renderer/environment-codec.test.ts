import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { eachTexel, prefilterEnvironment } from '../../build/environment/prefilter.ts';
import {
  type CubeMipLevel,
  decodeEnvironment,
  encodeEnvironment,
  QUANTIZATION_STEP,
  UNITS_PER_STOP,
} from './environment-codec.ts';

describe('environment map', () => {
  let levels: CubeMipLevel[];
  let text: string;
  before(() => {
    levels = prefilterEnvironment();
    text = encodeEnvironment(levels);
  });

  it('has the mip levels that three.js expects, down to 8', () => {
    assert.deepEqual(
      levels.map(({ size }) => size),
      [128, 64, 32, 16, 8],
    );
    for (const { size, texels } of levels) assert.equal(texels.length, 6 * size * size);
  });

  it('has finite values, none of them dark', () => {
    for (const { texels } of levels) {
      assert.ok(texels.every((value) => Number.isFinite(value) && value > 0.05 && value < 20));
    }
  });

  it('has a mean radiance of 1 at every roughness', () => {
    for (const { size, texels } of levels) {
      let [sum, sphere, index] = [0, 0, 0];
      for (const { solidAngle } of eachTexel(size)) {
        sum += (texels[index++] ?? 0) * solidAngle;
        sphere += solidAngle;
      }
      assert.ok(Math.abs(sphere / (4 * Math.PI) - 1) < 0.02, 'the texels cover the sphere');
      assert.ok(Math.abs(sum / sphere - 1) < 0.06, `${sum / sphere} at ${size}`);
    }
  });

  it('is brighter from above and from the front left', () => {
    const diffuse = levels.at(-1) ?? assert.fail('no levels');
    const sample = (x: number, y: number, z: number) => {
      let [maxCosine, value, index] = [-Infinity, 0, 0];
      for (const { direction } of eachTexel(diffuse.size)) {
        const cosine = direction[0] * x + direction[1] * y + direction[2] * z;
        if (cosine > maxCosine) [maxCosine, value] = [cosine, diffuse.texels[index] ?? 0];
        index++;
      }
      return value;
    };
    assert.ok(sample(0, 1, 0) > 2 * sample(0, -1, 0));
    assert.ok(sample(-0.7, 0, 0.7) > sample(0.7, 0, 0.7));
  });

  it('is the same in every build', () => {
    assert.equal(encodeEnvironment(prefilterEnvironment()), text);
  });

  it('is decoded with at most the error of quantization', () => {
    const decoded = decodeEnvironment(text, 128);
    for (const [index, { size, texels }] of levels.entries()) {
      const errors = texels.map((value, texel) =>
        Math.abs((decoded[index]?.logarithms[texel] ?? 0) / UNITS_PER_STOP - Math.log2(value)),
      );
      const limit = QUANTIZATION_STEP / UNITS_PER_STOP / 2;
      // The full size of larger levels is interpolated, so only their mean error is limited.
      if (size <= 16) assert.ok(Math.max(...errors) <= limit + 1e-3, `${size}`);
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
      assert.ok(mean < limit, `${mean} stops at ${size}`);
    }
  });

  it('is decoded up to a size, without the larger levels', () => {
    assert.deepEqual(decodeEnvironment(text, 64), decodeEnvironment(text, 128).slice(1));
  });

  it('is smaller than 11 kB after compression', () => {
    assert.ok(brotliCompressSync(text).byteLength < 11_000);
    assert.ok(!/["\\`$]/.test(text), 'needs no escapes in a string literal');
  });
});
