import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MeshBasicMaterial, MeshStandardMaterial, RepeatWrapping, Texture } from 'three';
import { listDefines } from './shared-textures.ts';

const STANDARD = { STANDARD: '' };
const COORDINATES = { SHARED_UV: 'uv', SHARED_TRANSFORM: 'mapTransform' };

/** Copies of a texture have its image, as those that GLTFLoader makes. */
function copy(texture: Texture, change: Partial<Texture> = {}): Texture {
  return Object.assign(texture.clone(), change);
}

describe('the definitions of a material', () => {
  it('say which textures have the same coordinates', () => {
    const map = new Texture();
    map.channel = 1;
    map.offset.set(0.5, 0);
    const material = new MeshStandardMaterial({ map, emissiveMap: copy(map) });
    const shared = { SHARED_UV: 'uv1', SHARED_TRANSFORM: 'mapTransform' };
    assert.deepEqual(listDefines(material), { ...STANDARD, ...shared });
    material.emissiveMap?.offset.set(0.25, 0);
    assert.deepEqual(listDefines(material), STANDARD);
    material.emissiveMap = copy(map, { channel: 0 });
    assert.deepEqual(listDefines(material), STANDARD);
  });

  it('respect a matrix that GLTFLoader has set, as for rotated textures', () => {
    const map = new Texture();
    map.matrixAutoUpdate = false;
    map.matrix.set(1, 2, 3, 4, 5, 6, 0, 0, 1);
    const matrix = map.matrix.clone();
    const material = new MeshStandardMaterial({ map, normalMap: copy(map) });
    assert.deepEqual(listDefines(material), { ...STANDARD, ...COORDINATES });
    assert.deepEqual(map.matrix, matrix);
    material.normalMap?.matrix.identity();
    assert.deepEqual(listDefines(material), STANDARD);
  });

  it('name the transform of a texture that the material has', () => {
    const material = new MeshStandardMaterial({ normalMap: new Texture(), aoMap: new Texture() });
    const { SHARED_TRANSFORM } = listDefines(material) ?? {};
    assert.equal(SHARED_TRANSFORM, 'normalMapTransform');
  });

  it('say where texels are the same', () => {
    const roughnessMap = new Texture();
    const material = new MeshStandardMaterial({ roughnessMap, metalnessMap: roughnessMap });
    const names = () =>
      Object.keys(listDefines(material) ?? {}).filter((name) => /_IN_/.test(name));
    assert.deepEqual(names(), ['METALNESS_IN_ROUGHNESS_MAP']);
    material.aoMap = copy(roughnessMap);
    assert.deepEqual(names(), ['METALNESS_IN_ROUGHNESS_MAP', 'OCCLUSION_IN_ROUGHNESS_MAP']);
    const others = [
      new Texture(),
      copy(roughnessMap, { channel: 1 }),
      copy(roughnessMap, { wrapT: RepeatWrapping }),
    ];
    for (const aoMap of others) {
      material.aoMap = aoMap;
      assert.deepEqual(names(), ['METALNESS_IN_ROUGHNESS_MAP']);
    }
  });

  it('say so also of textures that have other coordinates than the base color', () => {
    const roughnessMap = new Texture();
    roughnessMap.offset.set(0.5, 0);
    const aoMap = copy(roughnessMap);
    const material = new MeshStandardMaterial({ map: new Texture(), roughnessMap, aoMap });
    const expected = { ...STANDARD, OCCLUSION_IN_ROUGHNESS_MAP: '' };
    assert.deepEqual(listDefines(material), expected);
  });

  it('are those of three.js for one texture, and for other materials', () => {
    const map = new Texture();
    assert.deepEqual(listDefines(new MeshStandardMaterial({ map })), STANDARD);
    assert.equal(listDefines(new MeshBasicMaterial({ map })), undefined);
    const both = new MeshStandardMaterial({ map, normalMap: new Texture() });
    assert.deepEqual(listDefines(both), { ...STANDARD, ...COORDINATES });
  });
});
