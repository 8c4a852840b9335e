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
import { fitToBox, measure, outlineOf } from './outline.ts';
import { Trouble } from './trouble.ts';

const unit = new BoxGeometry(1, 1, 1);

describe('measuring', () => {
  it('follows the nodes', () => {
    const mesh = new Mesh(unit);
    mesh.position.set(10, 0, 0);
    const root = new Group().add(mesh);
    root.scale.setScalar(2);
    const { centre, size } = measure(root);
    assert.deepEqual(centre.toArray(), [20, 0, 0]);
    assert.deepEqual(size.toArray(), [2, 2, 2]);
  });

  it('counts every instance', () => {
    const many = new InstancedMesh(unit, undefined, 2);
    many.setMatrixAt(0, new Matrix4());
    many.setMatrixAt(1, new Matrix4().makeTranslation(0, 9, 0));
    assert.equal(measure(many).size.y, 10);
  });

  it('takes morph targets as they stand', () => {
    const geometry = unit.clone();
    const grown = Array.from(geometry.getAttribute('position').array, (value) => value * 3);
    geometry.morphAttributes.position = [new Float32BufferAttribute(grown, 3)];
    const mesh = new Mesh(geometry);
    mesh.updateMorphTargets();
    mesh.morphTargetInfluences = [1];
    assert.equal(measure(mesh).size.x, 3);
  });

  it('leaves out what is not seen', () => {
    const hidden = new Mesh(new PlaneGeometry(100, 100));
    hidden.visible = false;
    assert.equal(measure(new Group().add(hidden, new Mesh(unit))).size.x, 1);
  });

  it('does not lose one far vertex among very many', () => {
    const positions = new Float32Array(3 * 500_000).map(() => Math.random());
    positions[3 * 123_457 + 1] = 40;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
    const { size, points } = measure(new Mesh(geometry));
    assert.ok(size.y > 39);
    assert.ok(points.length / 3 < 30_000);
  });

  it('is not thrown off by a vertex that is nowhere', () => {
    const geometry = unit.clone();
    geometry.getAttribute('position').setX(0, Number.NaN);
    assert.equal(measure(new Mesh(geometry)).size.x, 1);
  });

  it('says when there is nothing', () => {
    assert.throws(
      () => measure(new Group()),
      (error) => error instanceof Trouble && error.kind === 'empty',
    );
  });
});

describe('an outline and a box', () => {
  const outline = outlineOf(new Float32Array([-1, -1, -1, 1, 0.99, 1, 0, 0, 0.5]));

  it('that it nearly fills: it fills it', () => {
    const fitted = fitToBox(outline, { min: [-1, -1, -1.02], max: [1, 1, 1] });
    const near = (one: number, other: number) => Math.abs(one - other) < 1e-6;
    assert.ok(near(fitted.size.y, 2) && near(fitted.size.z, 2.02));
    assert.ok(near(fitted.centre.y, 0) && near(fitted.centre.z, -0.01));
    assert.ok(near(fitted.points[6] ?? 1, 0), 'what is in the middle stays there');
  });

  it('of something else: it stays as it is', () => {
    assert.equal(fitToBox(outline, { min: [-1, -1, -1], max: [1, 3, 1] }), outline);
    assert.equal(fitToBox(outline, { min: [0, -1, -1], max: [2, 1, 1] }), outline);
  });

  it('flat as both may be, no point is lost', () => {
    const flat = outlineOf(new Float32Array([-1, 0, -1, 1, 0, 1]));
    const fitted = fitToBox(flat, { min: [-1, 0, -1.01], max: [1, 0, 1] });
    assert.ok([...fitted.points].every(Number.isFinite));
  });
});
