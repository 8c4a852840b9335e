import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import {
  createBoxGlb,
  createInterleavedBoxGlb,
  type LooseGltfJson,
} from '../../testing/box-models.ts';
import { applyJsonWorkarounds, createWorkaroundPlugin } from './gltf-workarounds.ts';

const loadGltf = (file: Uint8Array<ArrayBuffer>): Promise<GLTF> =>
  new GLTFLoader().register(createWorkaroundPlugin).parseAsync(file.buffer, '');

describe('workarounds for three.js', () => {
  it('reads an interleaved buffer view that ends within its last stride', async () => {
    const { scene } = await loadGltf(createInterleavedBoxGlb());
    const [mesh] = scene.children as never as [{ geometry: { attributes: Attributes } }];
    const { position, normal } = mesh.geometry.attributes;
    assert.equal(position.count, 24);
    assert.deepEqual(
      [0, 1, 2].map((axis) => Math.abs(position.getComponent(23, axis))),
      [0.5, 0.5, 0.5],
    );
    assert.deepEqual(
      [0, 1, 2].map((axis) => normal.getComponent(23, axis)),
      [0, 0, 1],
    );
  });

  const pivots: [name: string, pivot: unknown][] = [
    ['a number', 7],
    ['null', null],
    ['text', 'center'],
    ['a vector, as three.js expects it', [1, 2, 3]],
  ];
  for (const [name, pivot] of pivots) {
    it(`ignores extras.pivot: ${name}`, async () => {
      const change = (gltf: LooseGltfJson) => {
        const child = { mesh: 0, translation: [1, 0, 0] };
        gltf.nodes = [{ children: [1], extras: { pivot, kept: true } }, child];
      };
      const { scene } = await loadGltf(createBoxGlb({ change }));
      const [parent] = scene.children;
      assert.deepEqual(parent?.userData, { kept: true });
      assert.deepEqual(parent?.position.toArray(), [0, 0, 0]);
      assert.deepEqual(parent?.children[0]?.position.toArray(), [1, 0, 0]);
    });
  }

  it('keeps material names out of the shaders', async () => {
    const change = (gltf: LooseGltfJson) => {
      gltf.materials = (gltf.materials as object[]).map((material) => ({
        ...material,
        name: 'a\n#error b',
      }));
    };
    const { scene } = await loadGltf(createBoxGlb({ change }));
    const [mesh] = scene.children as never as [{ material: { name: string } }];
    assert.equal(mesh.material.name, '');
  });

  it('duplicates a mesh that is used with and without a skin', () => {
    const meshes = [{ name: 'other' }, { name: 'both' }];
    const nodes = [
      { mesh: 1, skin: 0 },
      { mesh: 1 },
      { mesh: 0 },
      { mesh: 1 },
      { mesh: 1, skin: 0 },
    ];
    const json = { meshes, nodes };
    applyJsonWorkarounds(json);
    assert.deepEqual(
      json.nodes.map(({ mesh }) => mesh),
      [1, 2, 0, 2, 1],
    );
    assert.deepEqual(json.meshes, [{ name: 'other' }, { name: 'both' }, { name: 'both' }]);
  });
});

type Attribute = { count: number; getComponent(index: number, axis: number): number };
type Attributes = { position: Attribute; normal: Attribute };
