import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  Bone,
  BoxGeometry,
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Points,
} from 'three';
import { createPartTree, type Part } from './part-tree.ts';

const box = new BoxGeometry();
const material = new MeshStandardMaterial();

/** Creates an object as GLTFLoader does: `name` is the name in the file. */
function create<T extends Object3D>(object: T, name: string, ...children: Object3D[]): T {
  if (name) object.userData.name = name;
  object.name = name.replace(/\W/g, '_');
  for (const child of children) object.add(child);
  return object;
}
const node = (name: string, ...children: Object3D[]) => create(new Object3D(), name, ...children);
const mesh = (name: string, ...children: Object3D[]) =>
  create(new Mesh(box, material), name, ...children);
const scene = (...children: Object3D[]) => create(new Group(), '', ...children);

/** Describes the tree: names, and in parentheses the parts in them. */
function describeParts(parts: readonly Part[]): string {
  return parts
    .map(({ name, children }) => (children.length ? `${name}(${describeParts(children)})` : name))
    .join(' ');
}
const describeTree = (root: Object3D) => describeParts(createPartTree(root, undefined).roots);

describe('the part tree', () => {
  it('has the nodes with their names in the file', () => {
    const root = scene(node('A car', mesh('Wheel: left'), mesh('Wheel: left')));
    assert.equal(describeTree(root), 'A car(Wheel: left Wheel: left)');
  });

  it('leaves out nodes without a name: what they draw belongs to the part above', () => {
    const root = scene(node('', node('Chair', node('', mesh(''), mesh('Seat')))));
    const { roots, draws } = createPartTree(root, undefined);
    assert.equal(describeParts(roots), 'Chair(Seat)');
    assert.deepEqual(
      draws.map((each) => each.length),
      [1, 1],
    );
  });

  it('has an object that is in no named node, with the name of its mesh', () => {
    const unnamed = Object.assign(mesh(''), { name: 'mesh_0_1' });
    assert.equal(describeTree(scene(Object.assign(mesh(''), { name: 'Vase' }), unnamed)), 'Vase ');
  });

  it('has one part for a mesh with several materials', () => {
    const root = scene(create(new Group(), 'Lamp', mesh(''), mesh('')));
    const { parts, draws } = createPartTree(root, undefined);
    assert.deepEqual([parts.length, draws[0]?.length, parts[0]?.triangles], [1, 2, 24]);
  });

  it('leaves out what draws nothing, and the shadow', () => {
    const shadow = mesh('Shadow');
    const root = scene(mesh('Fox'), create(new Bone(), 'Hip', create(new Bone(), 'Leg')), shadow);
    assert.equal(describeParts(createPartTree(root, shadow).roots), 'Fox');
  });

  it('has points and lines, which have no triangles', () => {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute([0, 0, 0], 3));
    const { parts } = createPartTree(scene(create(new Points(geometry), 'Scan')), undefined);
    assert.deepEqual([parts[0]?.name, parts[0]?.triangles], ['Scan', 0]);
  });

  it('has each named instance of the optimizer, in place of their common node', () => {
    const batch = create(new InstancedMesh(box, material, 3), 'Bolt mesh');
    batch.userData.names = ['Bolt 1', '', 'Bolt 3'];
    const { roots, draws, parts } = createPartTree(scene(node('Engine', batch)), undefined);
    assert.equal(describeParts(roots), 'Engine(Bolt 1 Bolt 3)');
    assert.deepEqual(
      draws.map((each) => each.map(({ instance }) => instance)),
      [[1], [0], [2]],
    );
    assert.equal(parts[0]?.triangles, 36);
  });

  it('has instances of a mesh with several materials', () => {
    const batch = create(new Group(), 'Bolts');
    batch.add(new InstancedMesh(box, material, 2), new InstancedMesh(box, material, 2));
    batch.userData.names = ['Bolt 1', 'Bolt 2'];
    const { parts, draws } = createPartTree(scene(batch), undefined);
    assert.equal(describeParts(parts), 'Bolt 1 Bolt 2');
    assert.deepEqual(
      draws.map((each) => each.length),
      [2, 2],
    );
  });

  it('has one part for instances without names, and for names that do not fit', () => {
    const batch = create(new InstancedMesh(box, material, 3), 'Trees');
    batch.userData.names = ['only one'];
    const { parts } = createPartTree(scene(batch), undefined);
    assert.deepEqual([describeParts(parts), parts[0]?.triangles], ['Trees', 36]);
  });

  it('ignores names that are not texts', () => {
    const object = mesh('');
    object.userData.name = { toString: 'x' };
    assert.equal(describeTree(scene(node('Box', object))), 'Box');
  });

  it('numbers the parts in the order of the tree', () => {
    const { parts } = createPartTree(scene(node('A', mesh('B'), mesh('C')), mesh('D')), undefined);
    assert.deepEqual(
      parts.map(({ id, name }) => `${id} ${name}`),
      ['0 A', '1 B', '2 C', '3 D'],
    );
  });
});
