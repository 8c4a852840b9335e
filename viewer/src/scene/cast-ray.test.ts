import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  Bone,
  BoxGeometry,
  BufferAttribute,
  type BufferGeometry,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  PerspectiveCamera,
  Skeleton,
  SkinnedMesh,
  SphereGeometry,
  Uint16BufferAttribute,
} from 'three';
import { castRay } from './cast-ray.ts';

const frame = { width: 200, height: 100 };
const material = new MeshBasicMaterial();

function cast(x: number, y: number, ...objects: Object3D[]) {
  const camera = new PerspectiveCamera(30, 2);
  camera.position.z = 10;
  const root = new Group().add(...objects);
  return castRay({ x, y }, { frame, camera, root, tolerance: 0.01 });
}

/** A sphere with so many triangles that they are tested in chunks. */
const createSphere = () => new SphereGeometry(1, 300, 300);

describe('castRay', () => {
  it('finds the nearest point under a position', () => {
    const back = new Mesh(new BoxGeometry(2, 2, 2), material);
    back.position.z = -3;
    const front = new Mesh(new BoxGeometry(1, 1, 1), material);
    const hit = cast(100, 50, back, front);
    assert.equal(hit?.object, front);
    assert.ok(Math.abs((hit?.point.z ?? 0) - 0.5) < 1e-6);
    assert.equal(cast(5, 5, back, front), undefined);
  });

  it('ignores positions outside the frame', () => {
    const wall = new Mesh(new BoxGeometry(100, 100, 1), material);
    assert.ok(cast(199, 99, wall));
    for (const [x, y] of [
      [-1, 50],
      [201, 50],
      [100, 101],
      [NaN, 50],
    ] as const)
      assert.equal(cast(x, y, wall), undefined);
  });

  it('ignores hidden objects', () => {
    const front = new Mesh(new BoxGeometry(1, 1, 1), material);
    const back = new Mesh(new BoxGeometry(2, 2, 2), material);
    back.position.z = -3;
    front.layers.mask = 0;
    assert.equal(cast(100, 50, front, back)?.object, back);
  });

  it('finds in a large mesh what a test of all triangles finds', () => {
    const sphere = new Mesh(createSphere(), material);
    sphere.scale.set(1, 2, 0.5);
    sphere.rotation.set(0.3, 0.4, 0.5);
    const direct = new Mesh(sphere.geometry.clone(), material);
    // With a morph target, three.js tests all triangles.
    direct.geometry.morphAttributes.position = [direct.geometry.attributes.position as never];
    direct.geometry.morphTargetsRelative = true;
    direct.updateMorphTargets();
    direct.scale.copy(sphere.scale);
    direct.rotation.copy(sphere.rotation);
    let hits = 0;
    for (let x = 2; x < 200; x += 7) {
      for (let y = 1; y < 100; y += 7) {
        const [expected, found] = [cast(x, y, direct), cast(x, y, sphere)];
        assert.equal(found?.faceIndex, expected?.faceIndex, `${x}, ${y}`);
        if (found) hits++;
      }
    }
    assert.ok(hits > 20, `${hits} hits`);
  });

  it('tests few triangles of a large mesh', () => {
    const geometry = createSphere();
    const sphere = new Mesh(geometry, material);
    cast(100, 50, sphere);
    const reads = countIndexReads(geometry, () => assert.ok(cast(101, 51, sphere)));
    const triangles = (geometry.index?.count ?? 0) / 3;
    assert.ok(reads / 3 < triangles / 10, `${reads / 3} of ${triangles} triangles`);
    assert.deepEqual(geometry.drawRange, { start: 0, count: Infinity });
  });

  /** Where a point on the X axis is in the frame, CSS pixels. */
  const toFrameX = (x: number) => 100 + (x * 50) / (10 * Math.tan(Math.PI / 12));

  for (const [size, segments] of [
    ['a small', 8],
    ['a large', 300],
  ] as const) {
    it(`finds ${size} skinned mesh in its pose`, () => {
      const geometry = new SphereGeometry(0.5, segments, segments);
      const { count } = geometry.attributes.position as BufferAttribute;
      const weights = Array.from({ length: count }, () => [1, 0, 0, 0]).flat();
      geometry.setAttribute('skinIndex', new Uint16BufferAttribute(new Uint16Array(count * 4), 4));
      geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
      const mesh = new SkinnedMesh(geometry, material);
      const bone = new Bone();
      mesh.add(bone);
      mesh.bind(new Skeleton([bone]));
      for (const x of [2, -2]) {
        bone.position.x = x;
        assert.ok(cast(toFrameX(x), 50, mesh)?.object === mesh, `${x}`);
        assert.ok(cast(100, 50, mesh) === undefined, 'nothing');
      }
    });

    it(`finds ${size} mesh with a morph target in its shape`, () => {
      const geometry = new SphereGeometry(0.5, segments, segments);
      const { count } = geometry.attributes.position as BufferAttribute;
      const offsets = Array.from({ length: count }, () => [2, 0, 0]).flat();
      geometry.morphAttributes.position = [new Float32BufferAttribute(offsets, 3)];
      geometry.morphTargetsRelative = true;
      const mesh = new Mesh(geometry, material);
      for (const influence of [1, 0.7]) {
        mesh.morphTargetInfluences = [influence];
        assert.ok(cast(toFrameX(2 * influence), 50, mesh)?.object === mesh, `${influence}`);
        assert.ok(cast(100, 50, mesh) === undefined, 'nothing');
      }
    });

    it(`finds ${size} quantized mesh`, () => {
      const geometry = new SphereGeometry(0.5, segments, segments);
      const { array } = geometry.attributes.position as BufferAttribute;
      const quantized = Int16Array.from(array, (value) => Math.round(value * 32767));
      geometry.setAttribute('position', new BufferAttribute(quantized, 3, true));
      const mesh = new Mesh(geometry, material);
      mesh.scale.setScalar(0.5);
      mesh.position.x = 2;
      const hit = cast(toFrameX(2), 50, mesh);
      assert.ok(Math.abs((hit?.point.z ?? 0) - 0.25) < 0.02, `${hit?.point.z}`);
      assert.ok(cast(toFrameX(2.4), 50, mesh) === undefined, 'nothing');
    });
  }

  it('finds instances of a large mesh, but not those without a size', () => {
    const batch = new InstancedMesh(createSphere(), material, 2);
    batch.setMatrixAt(0, new Matrix4().makeTranslation(0, 0, 2));
    batch.setMatrixAt(1, new Matrix4().makeTranslation(0, 0, -2));
    assert.deepEqual([cast(100, 50, batch)?.instanceId, cast(100, 50, batch)?.object], [0, batch]);
    batch.setMatrixAt(0, new Matrix4().makeScale(0, 0, 0));
    assert.equal(cast(100, 50, batch)?.instanceId, 1);
  });
});

function countIndexReads({ index }: BufferGeometry, action: () => void): number {
  if (index === null) throw new Error('The geometry has no index.');
  let reads = 0;
  const getX = index.getX.bind(index);
  index.getX = (at) => {
    reads++;
    return getX(at);
  };
  action();
  index.getX = getX;
  return reads;
}
