import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { eachTexel, prefilterEnvironment } from '../../build/environment/prefilter.ts';
import {
  type CubeMipLevel,
  decodeEnvironment,
  encodeEnvironment,
  QUANTIZATION_STEP,
} from './environment-codec.ts';

describe('the studio light', () => {
  let levels: CubeMipLevel[];
  let text: string;
  before(() => {
    levels = prefilterEnvironment();
    text = encodeEnvironment(levels);
  });

  it('has the levels three.js expects, down to 8', () => {
    assert.deepEqual(
      levels.map(({ size }) => size),
      [128, 64, 32, 16, 8],
    );
    for (const { size, texels } of levels) assert.equal(texels.length, 6 * size * size);
  });

  it('is finite and never dark', () => {
    for (const { texels } of levels) {
      assert.ok(texels.every((value) => Number.isFinite(value) && value > 0.05 && value < 20));
    }
  });

  it('sends 1 on average, at every roughness', () => {
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

  it('comes from above and from the front left', () => {
    const diffuse = levels.at(-1) ?? assert.fail('no levels');
    const from = (x: number, y: number, z: number) => {
      let [best, value, index] = [-Infinity, 0, 0];
      for (const { direction } of eachTexel(diffuse.size)) {
        const near = direction[0] * x + direction[1] * y + direction[2] * z;
        if (near > best) [best, value] = [near, diffuse.texels[index] ?? 0];
        index++;
      }
      return value;
    };
    assert.ok(from(0, 1, 0) > 2 * from(0, -1, 0));
    assert.ok(from(-0.7, 0, 0.7) > from(0.7, 0, 0.7));
  });

  it('is the same every time it is built', () => {
    assert.equal(encodeEnvironment(prefilterEnvironment()), text);
  });

  it('comes back as it was written', () => {
    const back = decodeEnvironment(text, 128);
    for (const [index, { size, texels }] of levels.entries()) {
      const stops = texels.map((value, at) =>
        Math.abs(Math.log2((back[index]?.texels[at] ?? 0) / value)),
      );
      // Levels whose last doubling is written are exact; the others only on average.
      if (size <= 16) assert.ok(Math.max(...stops) <= QUANTIZATION_STEP / 2 + 1e-3, `${size}`);
      const mean = stops.reduce((sum, stop) => sum + stop, 0) / stops.length;
      assert.ok(mean < QUANTIZATION_STEP / 2, `${mean} stops at ${size}`);
    }
  });

  it('travels in less than 11 kB', () => {
    assert.ok(brotliCompressSync(text).byteLength < 11_000);
    assert.ok(!/["\\`$]/.test(text), 'needs no escapes in a script');
  });
});
