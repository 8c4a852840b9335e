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
import { measure } from './outline.ts';
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
