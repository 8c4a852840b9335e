import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BoxGeometry,
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Matrix4,
  Mesh,
  PlaneGeometry,
} from 'three';
import { ViewerError } from '../viewer-error.ts';
import { fitBoundsToBox, measureBounds, toModelBounds } from './model-bounds.ts';

/** Vertices in a small box, and one far away on each side of each axis: no other vertex is the end of an axis. */
function makeSpikes(count: number): Float32Array {
  const positions = new Float32Array(3 * count).map(() => Math.random() - 0.5);
  positions.set([-2, 0, 0, 2, 0, 0, 0, -2, 0, 0, 2, 0, 0, 0, -2, 0, 0, 2]);
  return positions;
}

function hasPoint(points: Float32Array, [x, y, z]: number[]): boolean {
  return points.some(
    (value, index) =>
      index % 3 === 0 && value === x && points[index + 1] === y && points[index + 2] === z,
  );
}

const unitBox = new BoxGeometry(1, 1, 1);

describe('measureBounds', () => {
  it('applies the transforms of the nodes', () => {
    const mesh = new Mesh(unitBox);
    mesh.position.set(10, 0, 0);
    const root = new Group().add(mesh);
    root.scale.setScalar(2);
    const { center, size } = measureBounds(root);
    assert.deepEqual(center.toArray(), [20, 0, 0]);
    assert.deepEqual(size.toArray(), [2, 2, 2]);
  });

  it('includes every instance', () => {
    const mesh = new InstancedMesh(unitBox, undefined, 2);
    mesh.setMatrixAt(0, new Matrix4());
    mesh.setMatrixAt(1, new Matrix4().makeTranslation(0, 9, 0));
    assert.equal(measureBounds(mesh).size.y, 10);
  });

  it('applies the current morph targets', () => {
    const geometry = unitBox.clone();
    const grown = Array.from(geometry.getAttribute('position').array, (value) => value * 3);
    geometry.morphAttributes.position = [new Float32BufferAttribute(grown, 3)];
    const mesh = new Mesh(geometry);
    mesh.updateMorphTargets();
    mesh.morphTargetInfluences = [1];
    assert.equal(measureBounds(mesh).size.x, 3);
  });

  it('ignores invisible objects', () => {
    const hidden = new Mesh(new PlaneGeometry(100, 100));
    hidden.visible = false;
    assert.equal(measureBounds(new Group().add(hidden, new Mesh(unitBox))).size.x, 1);
  });

  it('includes one extreme vertex among many', () => {
    const positions = new Float32Array(3 * 500_000).map(() => Math.random());
    positions[3 * 123_457 + 1] = 40;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
    const { size, points } = measureBounds(new Mesh(geometry));
    assert.ok(size.y > 39);
    assert.ok(points.length / 3 < 30_000);
  });

  it('includes the corners of a box with many vertices', () => {
    const corner = [1.5, -1.5, 1.5];
    const positions = makeSpikes(500_000);
    positions.set(corner, 3 * 123_457);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
    const { points } = measureBounds(new Mesh(geometry));
    assert.ok(hasPoint(points, corner));
  });

  it('includes the outermost of many instances, without the points of all', () => {
    const mesh = new InstancedMesh(unitBox, undefined, 20_000);
    const place = new Matrix4();
    for (let index = 0; index < mesh.count; index++)
      mesh.setMatrixAt(index, place.makeTranslation(Math.sin(index), 0, 0));
    mesh.setMatrixAt(12_345, place.makeTranslation(0, -70, 0));
    const { size, points } = measureBounds(mesh);
    assert.equal(size.y, 71);
    assert.ok(points.length / 3 < 30_000, `${points.length / 3}`);
  });

  it('includes rotated and scaled instances, with the vertices that are outermost', () => {
    const tree = new BoxGeometry(1, 10, 1, 20, 100, 20).translate(0, 5, 0);
    const mesh = new InstancedMesh(tree, undefined, 7);
    for (let index = 0; index < 7; index++)
      mesh.setMatrixAt(index, new Matrix4().makeTranslation(index, 0, 0));
    mesh.setMatrixAt(1, new Matrix4().makeScale(1, 3, 1));
    mesh.setMatrixAt(4, new Matrix4().makeRotationZ(Math.PI / 2));
    const { size, points } = measureBounds(mesh);
    assert.ok(points.length / 3 < 30_000, `${points.length / 3}`);
    assert.ok(Math.abs(size.y - 30.5) < 0.01, `${size.y}`);
    assert.ok(Math.abs(size.x - 16.5) < 0.01, `${size.x}`);
  });

  it('includes a tall instance among many', () => {
    const mesh = new InstancedMesh(unitBox, undefined, 20_000);
    for (let index = 0; index < mesh.count; index++)
      mesh.setMatrixAt(index, new Matrix4().makeTranslation(Math.sin(index), 0, 0));
    mesh.setMatrixAt(12_345, new Matrix4().makeScale(1, 50, 1));
    assert.equal(measureBounds(mesh).size.y, 50);
  });

  it('reads positions that are integers and among other attributes', () => {
    const positions = [0, 0, 0, 32_767, 16_384, -32_767, 0, 32_767, 0];
    const withGaps = positions.flatMap((value, index) => (index % 3 === 2 ? [value, 5] : [value]));
    const buffer = new InterleavedBuffer(Int16Array.from([9, ...withGaps]), 4);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new InterleavedBufferAttribute(buffer, 3, 1, true));
    const { size, center } = measureBounds(new Mesh(geometry));
    assert.deepEqual(size.toArray(), [1, 1, 1]);
    assert.deepEqual(center.toArray(), [0.5, 0.5, -0.5]);
  });

  it('ignores vertices that are not numbers', () => {
    const geometry = unitBox.clone();
    geometry.getAttribute('position').setX(0, Number.NaN);
    assert.equal(measureBounds(new Mesh(geometry)).size.x, 1);
  });

  it('throws empty-scene when nothing is drawn', () => {
    assert.throws(
      () => measureBounds(new Group()),
      (error) => error instanceof ViewerError && error.code === 'empty-scene',
    );
  });
});

describe('fitBoundsToBox', () => {
  const bounds = toModelBounds(new Float32Array([-1, -1, -1, 1, 0.99, 1, 0, 0, 0.5]));

  it('stretches bounds to a box that they nearly fill', () => {
    const fitted = fitBoundsToBox(bounds, { min: [-1, -1, -1.02], max: [1, 1, 1] });
    const isNear = (a: number, b: number) => Math.abs(a - b) < 1e-6;
    assert.ok(isNear(fitted.size.y, 2) && isNear(fitted.size.z, 2.02));
    assert.ok(isNear(fitted.center.y, 0) && isNear(fitted.center.z, -0.01));
    assert.ok(isNear(fitted.points[6] ?? 1, 0), 'the center is not moved');
  });

  it('does not change bounds that do not match the box', () => {
    assert.equal(fitBoundsToBox(bounds, { min: [-1, -1, -1], max: [1, 3, 1] }), bounds);
    assert.equal(fitBoundsToBox(bounds, { min: [0, -1, -1], max: [2, 1, 1] }), bounds);
  });

  it('keeps all points finite when bounds and box are flat', () => {
    const flat = toModelBounds(new Float32Array([-1, 0, -1, 1, 0, 1]));
    const fitted = fitBoundsToBox(flat, { min: [-1, 0, -1.01], max: [1, 0, 1] });
    assert.ok([...fitted.points].every(Number.isFinite));
  });
});
