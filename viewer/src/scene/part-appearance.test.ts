import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BoxGeometry,
  Group,
  InstancedMesh,
  type Material,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  Vector3,
} from 'three';
import { PartAppearance, type PartLook } from './part-appearance.ts';
import { createPartTree } from './part-tree.ts';

const box = new BoxGeometry();

/** Creates a model from named objects: part `id` is the object of that index, or an instance. */
function open(...objects: Object3D[]) {
  const root = new Group().add(...objects);
  const { parts, draws } = createPartTree(root, undefined);
  const appearance = new PartAppearance(draws);
  const apply = (looks: Partial<Record<number, Partial<PartLook>>> = {}) =>
    appearance.apply((id) => ({ visible: true, color: undefined, ...looks[id] }));
  return { parts, appearance, apply };
}

function createMesh(name: string, material: Material, ...children: Object3D[]): Mesh {
  const mesh = new Mesh(box, material);
  mesh.userData.name = name;
  for (const child of children) mesh.add(child);
  return mesh;
}

function createBatch(material: Material): InstancedMesh {
  const batch = new InstancedMesh(box, material, 3);
  for (let index = 0; index < 3; index++)
    batch.setMatrixAt(index, new Matrix4().makeTranslation(index, 0, 0));
  batch.userData.names = ['a', 'b', 'c'];
  return batch;
}

const getColor = ({ material }: Mesh) =>
  (material as unknown as MeshStandardMaterial).color.getHexString();

/** The scale of each instance. */
function readScales(batch: InstancedMesh): number[] {
  return Array.from({ length: batch.count }, (_, index) => {
    const matrix = new Matrix4();
    batch.getMatrixAt(index, matrix);
    return new Vector3().setFromMatrixScale(matrix).x;
  });
}

describe('the appearance of parts', () => {
  it('hides an object, but not the objects in it', () => {
    const child = createMesh('child', new MeshStandardMaterial());
    const parent = createMesh('parent', new MeshStandardMaterial(), child);
    const { apply } = open(parent);
    apply({ 0: { visible: false } });
    assert.deepEqual([parent.layers.mask, child.layers.mask, parent.visible], [0, 1, true]);
    apply();
    assert.equal(parent.layers.mask, 1);
  });

  it('colors one of two objects that share a material, and restores it', () => {
    const material = new MeshStandardMaterial({ color: '#ffffff', roughness: 0.3 });
    const hooks = { onBeforeCompile: () => {}, customProgramCacheKey: () => 'short' };
    Object.assign(material, hooks);
    const [left, right] = [createMesh('left', material), createMesh('right', material)];
    const { apply } = open(left, right);
    apply({ 0: { color: '#ff0000' } });
    assert.deepEqual([getColor(left), getColor(right)], ['ff0000', 'ffffff']);
    const { roughness, onBeforeCompile, customProgramCacheKey } =
      left.material as MeshStandardMaterial;
    assert.equal(roughness, 0.3);
    // It has the same shader.
    assert.deepEqual({ onBeforeCompile, customProgramCacheKey }, hooks);
    apply();
    assert.equal(left.material, material);
  });

  it('colors the material of another variant', () => {
    const mesh = createMesh('mesh', new MeshStandardMaterial());
    const { apply } = open(mesh);
    apply({ 0: { color: '#ff0000' } });
    const variant = new MeshStandardMaterial({ roughness: 0.1 });
    mesh.material = variant;
    apply({ 0: { color: '#ff0000' } });
    assert.deepEqual(
      [getColor(mesh), (mesh.material as unknown as MeshStandardMaterial).roughness],
      ['ff0000', 0.1],
    );
    apply();
    assert.equal(mesh.material, variant);
  });

  it('hides and colors single instances', () => {
    const batch = createBatch(new MeshStandardMaterial());
    const { apply, appearance } = open(batch);
    apply({ 0: { visible: false }, 2: { color: '#00ff00' } });
    assert.deepEqual(readScales(batch), [0, 1, 0]);
    const [colored] = batch.children as InstancedMesh[];
    assert.ok(colored);
    assert.deepEqual([colored.count, getColor(colored)], [1, '00ff00']);
    const matrix = new Matrix4();
    colored.getMatrixAt(0, matrix);
    assert.equal(new Vector3().setFromMatrixPosition(matrix).x, 2);
    assert.deepEqual([appearance.findPart(colored, 0), appearance.findPart(batch, 1)], [2, 1]);
    apply();
    assert.deepEqual([readScales(batch), batch.children.length], [[1, 1, 1], 0]);
  });

  it('does not draw a batch of which no instance is visible', () => {
    const batch = createBatch(new MeshStandardMaterial());
    const { apply } = open(batch);
    const hidden = { visible: false };
    apply({ 0: hidden, 1: hidden, 2: hidden });
    assert.equal(batch.layers.mask, 0);
    apply({ 0: hidden });
    assert.equal(batch.layers.mask, 1);
  });

  it('does not upload the instances again if their looks have not changed', () => {
    const batch = createBatch(new MeshStandardMaterial());
    const { apply } = open(batch, createMesh('other', new MeshStandardMaterial()));
    const { version } = batch.instanceMatrix;
    apply();
    apply({ 3: { color: '#ff0000' } });
    assert.equal(batch.instanceMatrix.version, version);
  });

  it('frees each material and object that it no longer needs', () => {
    const material = new MeshStandardMaterial();
    const batch = createBatch(material);
    const mesh = createMesh('mesh', material);
    const { apply, appearance } = open(batch, mesh);
    let live = 0;
    const seen = new Set<object>();
    const count = (target: Material | InstancedMesh) => {
      if (seen.has(target)) return;
      seen.add(target);
      live++;
      (target as Material).addEventListener('dispose', () => live--);
    };
    for (let index = 0; index < 100; index++) {
      const color = `#0000${(index + 16).toString(16).padStart(2, '0')}`;
      apply({ 1: { color }, 3: { color } });
      const [colored] = batch.children as InstancedMesh[];
      count(colored as InstancedMesh);
      count(mesh.material as Material);
      // One object, and one material for both.
      assert.equal(live, 2);
    }
    appearance[Symbol.dispose]();
    assert.deepEqual([live, mesh.material, batch.children.length], [0, material, 0]);
  });

  it('knows the transforms of hidden instances', () => {
    const batch = createBatch(new MeshStandardMaterial());
    const { apply, appearance } = open(batch);
    apply({ 1: { visible: false } });
    const [matrix] = appearance.listInstanceMatrices({ object: batch as never, instance: 1 });
    assert.deepEqual(new Vector3().setFromMatrixScale(matrix as Matrix4).toArray(), [1, 1, 1]);
  });
});
