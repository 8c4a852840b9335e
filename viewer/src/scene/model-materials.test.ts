import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Group, Mesh, MeshStandardMaterial, Texture } from 'three';
import { removeEmptyTextures } from './model-materials.ts';

test('textures without an image are removed, and the shaders of their materials made again', () => {
  const [empty, full] = [new Texture(), new Texture({} as never)];
  const damaged = new Mesh(undefined, new MeshStandardMaterial({ map: empty, normalMap: full }));
  const complete = new Mesh(undefined, new MeshStandardMaterial({ map: full }));
  const versions = [damaged, complete].map(({ material }) => material.version);
  removeEmptyTextures(new Group().add(damaged, complete));
  assert.equal(damaged.material.map, null);
  assert.equal(damaged.material.normalMap, full);
  assert.equal(complete.material.map, full);
  const changes = [damaged, complete].map(
    ({ material }, index) => material.version - (versions[index] ?? 0),
  );
  assert.deepEqual(changes, [1, 0]);
});
