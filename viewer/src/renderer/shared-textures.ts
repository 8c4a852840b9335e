import { type Material, MeshStandardMaterial, Texture } from 'three';

/** Textures of materials without extensions. three.js sets their transforms for each of them. */
const BASE_TEXTURES = [
  'map',
  'normalMap',
  'roughnessMap',
  'metalnessMap',
  'aoMap',
  'emissiveMap',
] as const;

/** What decides which texels a texture reads at a point of a surface, apart from its image and its coordinates. */
const SAMPLER_PARAMETERS = ['wrapS', 'wrapT', 'magFilter', 'minFilter', 'anisotropy'] as const;

/**
 * Returns the definitions for the shader of a material, with those that make it shorter if textures share their coordinates or their texels. Nearly all models are
 * like that: their textures have one set of coordinates, and metalness, roughness and often occlusion are channels of one image. The build adds what reads
 * them to the shaders of three.js: viewer/build/shared-textures.ts.
 *
 * The picture is the same. Without a GPU, the software renderer compiles the shorter shader faster, and reads fewer texels.
 */
export function listDefines(material: Material): Material['defines'] {
  if (!(material instanceof MeshStandardMaterial)) return material.defines;
  const { roughnessMap, metalnessMap, aoMap } = material;
  return {
    ...material.defines,
    ...listSharedCoordinates(material),
    ...(haveSameTexels(metalnessMap, roughnessMap) && { METALNESS_IN_ROUGHNESS_MAP: '' }),
    ...(haveSameTexels(aoMap, roughnessMap) && { OCCLUSION_IN_ROUGHNESS_MAP: '' }),
  };
}

/** If all textures have the same coordinates: which attribute they are, and the uniform with their transform. */
function listSharedCoordinates(material: MeshStandardMaterial): Material['defines'] {
  const name = BASE_TEXTURES.find((each) => material[each] !== null);
  const textures = Object.values(material).filter((value) => value instanceof Texture);
  const first = name && material[name];
  if (!first || textures.length < 2) return undefined;
  if (!textures.every((texture) => haveSameCoordinates(texture, first))) return undefined;
  const attribute = first.channel === 0 ? 'uv' : `uv${first.channel}`;
  return { SHARED_UV: attribute, SHARED_TRANSFORM: `${name}Transform` };
}

function haveSameCoordinates(a: Texture, b: Texture): boolean {
  // As three.js does it when it draws. GLTFLoader sets the matrix of a texture that is rotated.
  for (const texture of [a, b]) if (texture.matrixAutoUpdate) texture.updateMatrix();
  return a.channel === b.channel && a.matrix.equals(b.matrix);
}

function haveSameTexels(a: Texture | null, b: Texture | null): boolean {
  if (a === null || b === null) return false;
  const hasSameSampler = SAMPLER_PARAMETERS.every((name) => a[name] === b[name]);
  return a.source === b.source && hasSameSampler && haveSameCoordinates(a, b);
}
