import {
  type LooseGltf,
  makeGlb,
  makeUnpackedBox,
  packBufferViews,
} from '@cloche/pipeline/testing/models';
import sharp from 'sharp';
import { packWithImage } from './pack-with-image.ts';

/** A cube with a texture of brown tiles that has hard edges and gradients. */
export async function makeTexturedModel(): Promise<Buffer> {
  const side = 256;
  const pixels = Buffer.alloc(3 * side * side);
  for (let index = 0; index < side * side; index += 1) {
    const [x, y] = [index % side, Math.floor(index / side)];
    const isDark = ((x >> 5) + (y >> 5)) % 2 === 0;
    const shade = (x + y) / 8;
    pixels.set(isDark ? [60 + shade, 40 + shade, 30] : [210 - shade, 180 - shade, 140], 3 * index);
  }
  const raw = { width: side, height: side, channels: 3 } as const;
  const image = await sharp(pixels, { raw }).png().toBuffer();
  return packWithImage(
    makeUnpackedBox({ textured: true, spinning: true, color: [1, 1, 1] }),
    image,
  );
}

/** A wavy tube with vertex colors. */
export function makeVertexColoredModel(): Buffer {
  const { positions, normals, indices, count } = makeTube(({ angle, along }) => ({
    radius: 0.4 + 0.1 * Math.sin(6 * angle),
    height: 1.6 * along,
  }));
  const colors = new Float32Array(count * 4);
  for (let index = 0; index < count; index += 1) {
    const height = positions[3 * index + 1] ?? 0;
    colors.set([0.5 + 0.5 * Math.sin(9 * height), height / 1.6, 0.3, 1], 4 * index);
  }
  const { bin, bufferViews } = packBufferViews([positions, normals, indices, colors]);
  const [position, normal, index] = toGeometryAccessors(positions, count, indices.length);
  return makeGlb({
    json: toGltfJson({
      bufferViews,
      bin,
      accessors: [position, normal, index, toAccessor(3, count, 'VEC4')],
      nodes: [{ mesh: 0, name: 'Tube' }],
      attributes: { POSITION: 0, NORMAL: 1, COLOR_0: 3 },
      rootNodes: [0],
    }),
    bin,
  });
}

/** A green, bumpy tube of 96,800 triangles, whose model is large enough for a preview. */
export function makeHighPolyModel(): Buffer {
  const { positions, normals, indices, count } = makeTube(
    ({ angle, along }) => ({
      radius: 0.5 + 0.15 * Math.sin(7 * along + 2 * angle) + 0.03 * toPseudoRandom(angle, along),
      height: 1.6 * along,
    }),
    { around: 220, rings: 220 },
  );
  const { bin, bufferViews } = packBufferViews([positions, normals, indices]);
  return makeGlb({
    json: toGltfJson({
      bufferViews,
      bin,
      accessors: [...toGeometryAccessors(positions, count, indices.length)],
      nodes: [{ mesh: 0, name: 'Bark' }],
      attributes: { POSITION: 0, NORMAL: 1 },
      rootNodes: [0],
      color: [0.02, 0.6, 0.05],
    }),
    bin,
  });
}

/** An animated arm: a skin with two joints. */
export function makeSkinnedModel(): Buffer {
  const { positions, normals, indices, count } = makeTube(({ along }) => ({
    radius: 0.2 - 0.08 * along,
    height: 2 * along,
  }));
  const joints = new Uint8Array(count * 4);
  const weights = new Float32Array(count * 4);
  for (let index = 0; index < count; index += 1) {
    const lower = Math.min(Math.max(1.5 - (positions[3 * index + 1] ?? 0), 0), 1);
    joints.set([0, 1, 0, 0], 4 * index);
    weights.set([lower, 1 - lower, 0, 0], 4 * index);
  }
  const inverse = new Float32Array([...toTranslationMatrix(0), ...toTranslationMatrix(-1)]);
  const times = new Float32Array([0, 1, 2]);
  const rotations = new Float32Array([...toZRotation(60), ...toZRotation(10), ...toZRotation(60)]);
  const arrays = [positions, normals, indices, joints, weights, inverse, times, rotations];
  const { bin, bufferViews } = packBufferViews(arrays);
  const [position, normal, index] = toGeometryAccessors(positions, count, indices.length);
  const json = toGltfJson({
    bufferViews,
    bin,
    accessors: [
      ...[position, normal, index],
      toAccessor(3, count, 'VEC4', 5121),
      toAccessor(4, count, 'VEC4'),
      toAccessor(5, 2, 'MAT4'),
      { ...toAccessor(6, 3, 'SCALAR'), min: [0], max: [2] },
      toAccessor(7, 3, 'VEC4'),
    ],
    nodes: [
      { mesh: 0, skin: 0, name: 'Arm' },
      { name: 'Shoulder', children: [2] },
      { name: 'Elbow', translation: [0, 1, 0], rotation: toZRotation(60) },
    ],
    attributes: { POSITION: 0, NORMAL: 1, JOINTS_0: 3, WEIGHTS_0: 4 },
    rootNodes: [0, 1],
    color: [0.7, 0.2, 0.05],
  });
  json.skins = [{ joints: [1, 2], inverseBindMatrices: 5 }];
  const channel = { sampler: 0, target: { node: 2, path: 'rotation' } };
  json.animations = [{ name: 'Wave', samplers: [{ input: 6, output: 7 }], channels: [channel] }];
  return makeGlb({ json, bin });
}

/** The shape at an angle (radians) and a position along the axis (0 to 1). */
type TubeShape = (position: { angle: number; along: number }) => { radius: number; height: number };

/** Returns a deterministic pseudo-random number from 0 to 1. */
function toPseudoRandom(angle: number, along: number): number {
  const large = 43758.5453 * Math.sin(12.9898 * Math.sin(angle) + 78.233 * along + Math.cos(angle));
  return large - Math.floor(large);
}

/** An open tube around the vertical axis, with horizontal normals. */
function makeTube(shape: TubeShape, { around = 48, rings = 32 } = {}) {
  const count = (around + 1) * (rings + 1);
  const positions = new Float32Array(3 * count);
  const normals = new Float32Array(3 * count);
  const indices: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const [column, ring] = [index % (around + 1), Math.floor(index / (around + 1))];
    const angle = (2 * Math.PI * column) / around;
    const { radius, height } = shape({ angle, along: ring / rings });
    const [x, z] = [Math.sin(angle), Math.cos(angle)];
    positions.set([radius * x, height, radius * z], 3 * index);
    normals.set([x, 0, z], 3 * index);
    if (column === around || ring === rings) continue;
    const above = index + around + 1;
    indices.push(index, index + 1, above, above, index + 1, above + 1);
  }
  return { positions, normals, indices: new Uint16Array(indices), count };
}

function toGeometryAccessors(positions: Float32Array, count: number, indices: number) {
  const values = [0, 1, 2].map((axis) => positions.filter((_, index) => index % 3 === axis));
  const min = values.map((column) => Math.min(...column));
  const max = values.map((column) => Math.max(...column));
  return [
    { ...toAccessor(0, count, 'VEC3'), min, max },
    toAccessor(1, count, 'VEC3'),
    toAccessor(2, indices, 'SCALAR', 5123),
  ] as const;
}

type SceneOptions = {
  bufferViews: LooseGltf[];
  bin: Buffer;
  accessors: LooseGltf[];
  nodes: LooseGltf[];
  attributes: Record<string, number>;
  rootNodes: number[];
  color?: readonly number[];
};

function toGltfJson({
  bufferViews,
  bin,
  accessors,
  nodes,
  attributes,
  rootNodes,
  color = [1, 1, 1],
}: SceneOptions): LooseGltf {
  const baseColorFactor = [...color, 1];
  const pbrMetallicRoughness = { baseColorFactor, metallicFactor: 0, roughnessFactor: 0.7 };
  return {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: rootNodes }],
    nodes,
    meshes: [{ primitives: [{ attributes, indices: 2, material: 0 }] }],
    materials: [{ pbrMetallicRoughness, doubleSided: true }],
    accessors,
    bufferViews,
    buffers: [{ byteLength: bin.length }],
  };
}

function toAccessor(
  bufferView: number,
  count: number,
  type: string,
  componentType = 5126,
): LooseGltf {
  return { bufferView, componentType, count, type };
}

function toTranslationMatrix(y: number): number[] {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1];
}

/** A rotation around z, as a quaternion. */
function toZRotation(degrees: number): number[] {
  const half = (degrees * Math.PI) / 360;
  return [0, 0, Math.sin(half), Math.cos(half)];
}
