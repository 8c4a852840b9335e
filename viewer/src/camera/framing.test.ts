import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PerspectiveCamera, Vector3 } from 'three';
import { toModelBounds } from '../scene/model-bounds.ts';
import { computeDefaultView, fitDistance, placeCamera } from './framing.ts';

const FOV_Y = Math.PI / 6;

/** A grid of 3 × 3 × 3 points in a box. */
function boxPoints([width, height, depth]: number[], center = [0, 0, 0]): Float32Array {
  const points: number[] = [];
  for (let index = 0; index < 27; index++) {
    const cell = [index % 3, Math.floor(index / 3) % 3, Math.floor(index / 9)];
    const size = [width ?? 0, height ?? 0, depth ?? 0];
    for (let axis = 0; axis < 3; axis++) {
      points.push((center[axis] ?? 0) + (((cell[axis] ?? 0) - 1) / 2) * (size[axis] ?? 0));
    }
  }
  return new Float32Array(points);
}

/** Measures how far the points extend from the center of the frame (1 is its edge), and their depths. */
function measureFrame(points: Float32Array, aspect: number) {
  const bounds = toModelBounds(points);
  const view = computeDefaultView(bounds);
  const camera = new PerspectiveCamera((FOV_Y * 180) / Math.PI, aspect);
  placeCamera(camera, view, {
    bounds,
    distance: fitDistance(bounds, view, FOV_Y, aspect),
  });
  camera.updateMatrixWorld();
  let [wide, high, top, bottom] = [0, 0, -Infinity, Infinity];
  const depths: number[] = [];
  for (let index = 0; index < points.length; index += 3) {
    const point = new Vector3().fromArray(points, index);
    depths.push(-point.clone().applyMatrix4(camera.matrixWorldInverse).z);
    point.project(camera);
    wide = Math.max(wide, Math.abs(point.x));
    high = Math.max(high, Math.abs(point.y));
    top = Math.max(top, point.y);
    bottom = Math.min(bottom, point.y);
  }
  return { wide, high, top, bottom, depths, camera };
}

describe('framing', () => {
  const shapes: [shape: string, size: number[]][] = [
    ['a cube', [1, 1, 1]],
    ['a flat ring', [1, 0.05, 1]],
    ['a tower', [1, 12, 1]],
    ['a wall', [8, 3, 0.1]],
    ['a board seen from its side', [0.1, 3, 8]],
    ['a sheet without thickness', [1, 0, 1]],
    ['a needle', [0.001, 0.001, 1]],
  ];
  const scales: [scale: string, meters: number][] = [
    ['1 mm', 1e-3],
    ['3 cm', 3e-2],
    ['1 m', 1],
    ['300 m', 300],
    ['10 km', 1e4],
  ];

  for (const [shape, size] of shapes) {
    for (const [scale, meters] of scales) {
      for (const aspect of [0.4, 1, 1.78, 3]) {
        it(`fills the frame with ${shape} of ${scale} at aspect ${aspect}`, () => {
          const points = boxPoints(size.map((edge) => edge * meters));
          const { wide, high, depths, camera } = measureFrame(points, aspect);
          const fill = Math.max(wide, high);
          assert.ok(fill <= 0.81, `fills ${fill} of the frame`);
          assert.ok(fill >= 0.75, `fills only ${fill} of the frame`);
          assert.ok(Math.min(...depths) > camera.near, 'cut off by the near plane');
          assert.ok(Math.max(...depths) < camera.far, 'cut off by the far plane');
          assert.ok(camera.far / camera.near < 1000, 'low depth precision');
        });
      }
    }
  }

  it('centers the model vertically', () => {
    const { top, bottom } = measureFrame(boxPoints([1, 1, 1]), 1.5);
    assert.ok(Math.abs(top + bottom) < 0.03, `top ${top}, bottom ${bottom}`);
  });

  it('frames a model far away from the origin', () => {
    const { wide, high } = measureFrame(boxPoints([2, 2, 2], [500, -20, 3000]), 1);
    assert.ok(Math.max(wide, high) > 0.7);
  });

  it('shows a wall from its broad side and a floor from above', () => {
    const wall = computeDefaultView(toModelBounds(boxPoints([8, 3, 0.1])));
    const side = computeDefaultView(toModelBounds(boxPoints([0.1, 3, 8])));
    const floor = computeDefaultView(toModelBounds(boxPoints([5, 0.1, 5])));
    const tower = computeDefaultView(toModelBounds(boxPoints([1, 12, 1])));
    assert.ok(wall.azimuth < 0.5 && side.azimuth > 1);
    assert.ok(floor.elevation > 0.6 && tower.elevation < 0.2);
  });

  it('frames a single point with finite numbers', () => {
    const { camera } = measureFrame(new Float32Array([3, 4, 5]), 1);
    assert.ok(camera.near > 0 && camera.far > camera.near && Number.isFinite(camera.position.x));
  });
});
