import {
  type LooseGltf,
  makeGlb,
  makeUnpackedBox,
  packBufferViews,
} from '@cloche/pipeline/testing/models';
import sharp from 'sharp';

/** A cube that wears tiles of two browns, with hard edges and soft shades. */
export async function makeTexturedModel(): Promise<Buffer> {
  const side = 256;
  const pixels = Buffer.alloc(3 * side * side);
  for (let at = 0; at < side * side; at += 1) {
    const [x, y] = [at % side, Math.floor(at / side)];
    const isDark = ((x >> 5) + (y >> 5)) % 2 === 0;
    const shade = (x + y) / 8;
    pixels.set(isDark ? [60 + shade, 40 + shade, 30] : [210 - shade, 180 - shade, 140], 3 * at);
  }
  const raw = { width: side, height: side, channels: 3 } as const;
  const image = await sharp(pixels, { raw }).png().toBuffer();
  const { json, bin } = makeUnpackedBox({ textured: true, spinning: true, color: [1, 1, 1] });
  const bufferViews = json.bufferViews as object[];
  bufferViews.push({ buffer: 0, byteOffset: bin.length, byteLength: image.length });
  json.images = [{ bufferView: bufferViews.length - 1, mimeType: 'image/png' }];
  json.buffers = [{ byteLength: bin.length + image.length }];
  return makeGlb({ json, bin: Buffer.concat([bin, image]) });
}

/** A wavy tube of many colours, all in its vertices. */
export function makeVertexColouredModel(): Buffer {
  const { positions, normals, indices, count } = makeTube(({ turn, along }) => ({
    radius: 0.4 + 0.1 * Math.sin(6 * turn),
    height: 1.6 * along,
  }));
  const colours = new Float32Array(count * 4);
  for (let at = 0; at < count; at += 1) {
    const height = positions[3 * at + 1] ?? 0;
    colours.set([0.5 + 0.5 * Math.sin(9 * height), height / 1.6, 0.3, 1], 4 * at);
  }
  const { bin, bufferViews } = packBufferViews([positions, normals, indices, colours]);
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

/** A green bark of so many bumps that it stays large. */
export function makeHighPolyModel(): Buffer {
  const { positions, normals, indices, count } = makeTube(
    ({ turn, along }) => ({
      radius: 0.5 + 0.15 * Math.sin(7 * along + 2 * turn) + 0.03 * toPseudoRandom(turn, along),
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
      colour: [0.02, 0.6, 0.05],
    }),
    bin,
  });
}

/** An arm that is bent at its elbow by two joints, and waves. */
export function makeSkinnedModel(): Buffer {
  const { positions, normals, indices, count } = makeTube(({ along }) => ({
    radius: 0.2 - 0.08 * along,
    height: 2 * along,
  }));
  const joints = new Uint8Array(count * 4);
  const weights = new Float32Array(count * 4);
  for (let at = 0; at < count; at += 1) {
    const lower = Math.min(Math.max(1.5 - (positions[3 * at + 1] ?? 0), 0), 1);
    joints.set([0, 1, 0, 0], 4 * at);
    weights.set([lower, 1 - lower, 0, 0], 4 * at);
  }
  const inverse = new Float32Array([...toTranslationMatrix(0), ...toTranslationMatrix(-1)]);
  const times = new Float32Array([0, 1, 2]);
  const turns = new Float32Array([...toZRotation(60), ...toZRotation(10), ...toZRotation(60)]);
  const arrays = [positions, normals, indices, joints, weights, inverse, times, turns];
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
    colour: [0.7, 0.2, 0.05],
  });
  json.skins = [{ joints: [1, 2], inverseBindMatrices: 5 }];
  const channel = { sampler: 0, target: { node: 2, path: 'rotation' } };
  json.animations = [{ name: 'Wave', samplers: [{ input: 6, output: 7 }], channels: [channel] }];
  return makeGlb({ json, bin });
}

type TubeShape = (place: { turn: number; along: number }) => { radius: number; height: number };

/** Jumps about from 0 to 1, always in the same way. */
function toPseudoRandom(turn: number, along: number): number {
  const large = 43758.5453 * Math.sin(12.9898 * Math.sin(turn) + 78.233 * along + Math.cos(turn));
  return large - Math.floor(large);
}

/** An open tube around the vertical axis, its normals straight outwards. */
function makeTube(shape: TubeShape, { around = 48, rings = 32 } = {}) {
  const count = (around + 1) * (rings + 1);
  const positions = new Float32Array(3 * count);
  const normals = new Float32Array(3 * count);
  const indices: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const [step, ring] = [at % (around + 1), Math.floor(at / (around + 1))];
    const turn = (2 * Math.PI * step) / around;
    const { radius, height } = shape({ turn, along: ring / rings });
    const [x, z] = [Math.sin(turn), Math.cos(turn)];
    positions.set([radius * x, height, radius * z], 3 * at);
    normals.set([x, 0, z], 3 * at);
    if (step === around || ring === rings) continue;
    const above = at + around + 1;
    indices.push(at, at + 1, above, above, at + 1, above + 1);
  }
  return { positions, normals, indices: new Uint16Array(indices), count };
}

function toGeometryAccessors(positions: Float32Array, count: number, indices: number) {
  const values = [0, 1, 2].map((axis) => positions.filter((_, at) => at % 3 === axis));
  const min = values.map((all) => Math.min(...all));
  const max = values.map((all) => Math.max(...all));
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
  colour?: readonly number[];
};

function toGltfJson({
  bufferViews,
  bin,
  accessors,
  nodes,
  attributes,
  rootNodes,
  colour = [1, 1, 1],
}: SceneOptions): LooseGltf {
  const baseColorFactor = [...colour, 1];
  const pbrMetallicRoughness = { baseColorFactor, metallicFactor: 0, roughnessFactor: 0.7 };
  return {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: rootNodes }],
    nodes,
    meshes: [{ primitives: [{ attributes, indices: 2, material: 0 }] }],
    materials: [{ pbrMetallicRoughness, doubleSided: true }],
    ...{ accessors, bufferViews, buffers: [{ byteLength: bin.length }] },
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

function toTranslationMatrix(up: number): number[] {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, up, 0, 1];
}

/** A turn around z, as a quaternion. */
function toZRotation(degrees: number): number[] {
  const half = (degrees * Math.PI) / 360;
  return [0, 0, Math.sin(half), Math.cos(half)];
}
