import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { Vector3 } from 'three';
import type { CameraView } from '../camera/framing.ts';
import { createLimits, createStartView } from './camera-options.ts';

const DEGREE = Math.PI / 180;
/** Metres. */
const FIT = 4;
const automatic: CameraView = {
  azimuth: 32 * DEGREE,
  elevation: 16 * DEGREE,
  zoom: 1,
  target: new Vector3(0.1, 0.2, 0.3),
  fovY: 30 * DEGREE,
};

/** The view in degrees, rounded. */
function start(options: ViewerOptions) {
  const view = createStartView(options, automatic, () => FIT);
  const { azimuth, elevation, zoom, target, fovY } = view;
  const round = (value: number) => Number(value.toFixed(4));
  return {
    azimuth: round(azimuth / DEGREE),
    elevation: round(elevation / DEGREE),
    zoom: round(zoom),
    target: target.toArray(),
    fovY: round(fovY / DEGREE),
  };
}

const unchanged = start({});

describe('createStartView', () => {
  const rows: [options: ViewerOptions, expected: Partial<typeof unchanged>][] = [
    [{}, {}],
    [{ cameraOrbit: 'auto auto auto', cameraTarget: 'auto auto auto', fieldOfView: 'auto' }, {}],
    [{ cameraOrbit: '30deg 75deg 105%' }, { azimuth: 30, elevation: 15, zoom: 1.05 }],
    [{ cameraOrbit: '-90deg auto auto' }, { azimuth: -90 }],
    [{ cameraOrbit: 'auto 90deg' }, { elevation: 0 }],
    [{ cameraOrbit: 'auto auto 2m' }, { zoom: 0.5 }],
    [{ cameraOrbit: 'auto 0deg auto' }, { elevation: 89 }],
    [{ cameraOrbit: 'auto 180deg auto' }, { elevation: -89 }],
    [{ cameraOrbit: 'auto auto 900%' }, { zoom: 4 }],
    [{ cameraOrbit: 'auto auto 0m' }, { zoom: 0.02 }],
    [{ cameraTarget: 'auto 40cm auto' }, { target: [0.1, 0.4, 0.3] }],
    [{ fieldOfView: '10deg' }, { fovY: 10 }],
    // The start is within the limits.
    [{ cameraOrbit: '200deg', maxCameraOrbit: '90deg' }, { azimuth: 90 }],
    [{ minCameraOrbit: 'auto auto 8m' }, { zoom: 2 }],
    [{ maxCameraOrbit: 'auto auto 900%', cameraOrbit: 'auto auto 800%' }, { zoom: 8 }],
  ];
  for (const [options, expected] of rows) {
    it(JSON.stringify(options), () => {
      assert.deepEqual(start(options), { ...unchanged, ...expected });
    });
  }

  it('does not change the automatic view', () => {
    createStartView({ cameraTarget: '9m 9m 9m', cameraOrbit: '9deg' }, automatic, () => FIT);
    assert.deepEqual(automatic.target.toArray(), [0.1, 0.2, 0.3]);
    assert.equal(automatic.azimuth, 32 * DEGREE);
  });
});

describe('createLimits', () => {
  it('without options, limits the elevation and the distance', () => {
    const { azimuth, elevation, zoom } = createLimits({}, FIT);
    assert.deepEqual(
      [azimuth, zoom],
      [
        [-Infinity, Infinity],
        [0.02, 4],
      ],
    );
    assert.deepEqual(
      elevation.map((angle) => Math.round(angle / DEGREE)),
      [-89, 89],
    );
  });

  it('the smallest angle from the zenith is the highest elevation', () => {
    const options = { minCameraOrbit: '-90deg 30deg 50%', maxCameraOrbit: '90deg 90deg 8m' };
    const { azimuth, elevation, zoom } = createLimits(options, FIT);
    const toDegrees = (angle: number) => Math.round(angle / DEGREE);
    assert.deepEqual(azimuth.map(toDegrees), [-90, 90]);
    assert.deepEqual(elevation.map(toDegrees), [0, 60]);
    assert.deepEqual(zoom, [0.5, 2]);
  });
});
