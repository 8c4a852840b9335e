/** Boxes with variants and animations, for the tests of menus and buttons. */
import type { ContactShadow } from '@cloche/contract/contact-shadow';
import { createBoxGlb, type GlbBytes, type LooseGltfJson } from './box-models.ts';

type AnimatedBoxOptions = {
  animations?: readonly string[];
  variants?: readonly string[];
  /** Names of small boxes around the box. With it, they are the parts of a group. */
  parts?: readonly string[];
  shadow?: ContactShadow;
};

/** Creates a box with animations, each of which rotates it, and with pink variants. */
export function createAnimatedBoxGlb({
  animations = ['Spin'],
  variants = [],
  parts = [],
  shadow,
}: AnimatedBoxOptions = {}): GlbBytes {
  const times = new Float32Array([0, 1, 2]);
  const rotations = new Float32Array([0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, -1]);
  const extraBufferViews = [times, rotations].map(({ buffer }) => new Uint8Array(buffer));
  const change = (gltf: LooseGltfJson) => {
    if (animations.length > 0) addAnimations(gltf, animations);
    if (variants.length > 0) addVariants(gltf, variants);
    if (parts.length > 0) addParts(gltf, parts);
  };
  return createBoxGlb({ extraBufferViews, change, ...(shadow && { shadow }) });
}

function addParts(gltf: LooseGltfJson, names: readonly string[]): void {
  const small = names.map((name, index) => ({
    name,
    mesh: 0,
    scale: [0.2, 0.2, 0.2],
    translation: [Math.cos(index), Math.sin(index), 0.5],
  }));
  const children = [0, ...small.map((_, index) => index + 2)];
  gltf.nodes = [{ name: 'Box', mesh: 0 }, { name: 'Model', children }, ...small];
  gltf.scenes = [{ nodes: [1] }];
}

function addAnimations(gltf: LooseGltfJson, names: readonly string[]): void {
  (gltf.accessors as object[]).push(
    { bufferView: 4, componentType: 5126, count: 3, type: 'SCALAR', min: [0], max: [2] },
    { bufferView: 5, componentType: 5126, count: 3, type: 'VEC4' },
  );
  gltf.animations = names.map((name) => ({
    name,
    samplers: [{ input: 4, output: 5 }],
    channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
  }));
}

function addVariants(gltf: LooseGltfJson, names: readonly string[]): void {
  const materials = gltf.materials as object[];
  const [mesh] = gltf.meshes as [{ primitives: object[] }];
  const mappings = names.map((_, index) => ({ material: 1, variants: [index] }));
  materials.push({
    pbrMetallicRoughness: { baseColorFactor: [0.8, 0.02, 0.5, 1], metallicFactor: 0 },
  });
  Object.assign(mesh.primitives[0] ?? {}, {
    extensions: { KHR_materials_variants: { mappings } },
  });
  gltf.extensions = { KHR_materials_variants: { variants: names.map((name) => ({ name })) } };
  gltf.extensionsUsed = ['KHR_materials_variants'];
}
