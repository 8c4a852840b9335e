import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BoxGeometry,
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  PlaneGeometry,
} from 'three';
import { ViewerError } from '../viewer-error.ts';
import { fitBoundsToBox, measureBounds, toModelBounds } from './model-bounds.ts';

const unitBox = new BoxGeometry(1, 1, 1);

describe('measuring', () => {
  it('follows the nodes', () => {
    const mesh = new Mesh(unitBox);
    mesh.position.set(10, 0, 0);
    const root = new Group().add(mesh);
    root.scale.setScalar(2);
    const { center, size } = measureBounds(root);
    assert.deepEqual(center.toArray(), [20, 0, 0]);
    assert.deepEqual(size.toArray(), [2, 2, 2]);
  });

  it('counts every instance', () => {
    const many = new InstancedMesh(unitBox, undefined, 2);
    many.setMatrixAt(0, new Matrix4());
    many.setMatrixAt(1, new Matrix4().makeTranslation(0, 9, 0));
    assert.equal(measureBounds(many).size.y, 10);
  });

  it('takes morph targets as they stand', () => {
    const geometry = unitBox.clone();
    const grown = Array.from(geometry.getAttribute('position').array, (value) => value * 3);
    geometry.morphAttributes.position = [new Float32BufferAttribute(grown, 3)];
    const mesh = new Mesh(geometry);
    mesh.updateMorphTargets();
    mesh.morphTargetInfluences = [1];
    assert.equal(measureBounds(mesh).size.x, 3);
  });

  it('leaves out what is not seen', () => {
    const hidden = new Mesh(new PlaneGeometry(100, 100));
    hidden.visible = false;
    assert.equal(measureBounds(new Group().add(hidden, new Mesh(unitBox))).size.x, 1);
  });

  it('does not lose one far vertex among very many', () => {
    const positions = new Float32Array(3 * 500_000).map(() => Math.random());
    positions[3 * 123_457 + 1] = 40;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
    const { size, points } = measureBounds(new Mesh(geometry));
    assert.ok(size.y > 39);
    assert.ok(points.length / 3 < 30_000);
  });

  it('is not thrown off by a vertex that is nowhere', () => {
    const geometry = unitBox.clone();
    geometry.getAttribute('position').setX(0, Number.NaN);
    assert.equal(measureBounds(new Mesh(geometry)).size.x, 1);
  });

  it('says when there is nothing', () => {
    assert.throws(
      () => measureBounds(new Group()),
      (error) => error instanceof ViewerError && error.code === 'empty-scene',
    );
  });
});

describe('an outline and a box', () => {
  const outline = toModelBounds(new Float32Array([-1, -1, -1, 1, 0.99, 1, 0, 0, 0.5]));

  it('that it nearly fills: it fills it', () => {
    const fitted = fitBoundsToBox(outline, { min: [-1, -1, -1.02], max: [1, 1, 1] });
    const near = (one: number, other: number) => Math.abs(one - other) < 1e-6;
    assert.ok(near(fitted.size.y, 2) && near(fitted.size.z, 2.02));
    assert.ok(near(fitted.center.y, 0) && near(fitted.center.z, -0.01));
    assert.ok(near(fitted.points[6] ?? 1, 0), 'what is in the middle stays there');
  });

  it('of something else: it stays as it is', () => {
    assert.equal(fitBoundsToBox(outline, { min: [-1, -1, -1], max: [1, 3, 1] }), outline);
    assert.equal(fitBoundsToBox(outline, { min: [0, -1, -1], max: [2, 1, 1] }), outline);
  });

  it('flat as both may be, no point is lost', () => {
    const flat = toModelBounds(new Float32Array([-1, 0, -1, 1, 0, 1]));
    const fitted = fitBoundsToBox(flat, { min: [-1, 0, -1.01], max: [1, 0, 1] });
    assert.ok([...fitted.points].every(Number.isFinite));
  });
});
