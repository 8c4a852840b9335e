import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Vector3 } from 'three';
import type { CameraView } from '../camera/framing.ts';
import { describeChanges, describeDirection, describeView } from './announcer.ts';

const createView = (
  azimuth: number,
  elevation: number,
  more: Partial<CameraView> = {},
): CameraView => ({
  azimuth: (azimuth * Math.PI) / 180,
  elevation: (elevation * Math.PI) / 180,
  zoom: 1,
  target: new Vector3(),
  fovY: 0.5,
  ...more,
});

describe('describeDirection', () => {
  const cases: [azimuth: number, elevation: number, text: string][] = [
    [0, 0, 'View from the front'],
    [4, -4, 'View from the front, 4° right, 4° down'],
    [32, 16, 'View from the front right and above, 32° right, 16° up'],
    [-45, 20, 'View from the front left and above, 45° left, 20° up'],
    [90, -30, 'View from the right and below, 90° right, 30° down'],
    [180, 5, 'View from the back, 5° up'],
    [-180, 5, 'View from the back, 5° up'],
    [720 + 270, 0, 'View from the left, 90° left'],
    [10, 85, 'View from above, 10° right, 85° up'],
    [10, -85, 'View from below, 10° right, 85° down'],
  ];
  for (const [azimuth, elevation, text] of cases) {
    it(`azimuth ${azimuth}°, elevation ${elevation}°: ${text}`, () => {
      assert.equal(describeDirection(createView(azimuth, elevation)), text);
    });
  }
});

describe('describeChanges', () => {
  const initial = createView(0, 0);
  const moved = createView(0, 0, { target: new Vector3(1, 0, 0) });
  const cases: [reason: string, before: CameraView, after: CameraView, text: string][] = [
    ['nothing', moved, moved, ''],
    ['one turn around', createView(30, 0), createView(390, 0), ''],
    ['the direction', initial, createView(15, 0), 'View from the front, 15° right'],
    ['the zoom', initial, createView(0, 0, { zoom: 0.85 }), 'Zoom 118%'],
    ['the target', initial, moved, 'View moved'],
    [
      'all three',
      initial,
      createView(90, 0, { zoom: 0.5, target: new Vector3(1, 0, 0) }),
      'View moved. View from the right, 90° right. Zoom 200%',
    ],
    ['back to the default', moved, createView(360, 0), 'Default view. View from the front'],
  ];
  for (const [reason, before, after, text] of cases) {
    it(`${reason}: ${text || 'no announcement'}`, () => {
      assert.equal(describeChanges(before, after, initial), text);
    });
  }
});

describe('describeView', () => {
  it('names the default view', () => {
    const initial = createView(30, 0);
    const text = 'Default view. View from the front right, 30° right';
    assert.equal(describeView(createView(390, 0), initial), text);
    const zoomed = createView(30, 0, { zoom: 0.5 });
    assert.equal(describeView(zoomed, initial), 'View from the front right, 30° right. Zoom 200%');
  });
});
