import assert from 'node:assert/strict';
import { it } from 'node:test';
import { normalizeOptions } from '@cloche/contract/parse-option';
import { toCameraOptions } from './to-camera-options.ts';

it('the options of a camera are valid, and in degrees and metres', () => {
  const options = toCameraOptions({
    orbit: { theta: Math.PI / 6, phi: 1.3, radius: 2.123456789 },
    target: { x: -0, y: 0.4, z: 1e-9 },
    fieldOfView: Math.PI / 4,
  });
  assert.deepEqual(options, {
    cameraOrbit: '30deg 74.48deg 2.12346m',
    cameraTarget: '0m 0.4m 0m',
    fieldOfView: '45deg',
  });
  assert.deepEqual(normalizeOptions(options), options);
});
