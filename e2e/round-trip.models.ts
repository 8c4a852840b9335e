import sharp from 'sharp';
import { describeBox, type Gltf, makeGlb, pack } from '../server/testing/models.ts';

/** A cube that wears tiles of two browns, with hard edges and soft shades. */
export async function makeTextured(): Promise<Buffer> {
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
  const { json, bin } = describeBox({ textured: true, spinning: true, colour: [1, 1, 1] });
  const bufferViews = json.bufferViews as object[];
  bufferViews.push({ buffer: 0, byteOffset: bin.length, byteLength: image.length });
  json.images = [{ bufferView: bufferViews.length - 1, mimeType: 'image/png' }];
  json.buffers = [{ byteLength: bin.length + image.length }];
  return makeGlb({ json, bin: Buffer.concat([bin, image]) });
}

/** A wavy tube of many colours, all in its vertices. */
export function makeColoured(): Buffer {
  const { positions, normals, indices, count } = tube(({ turn, along }) => ({
    radius: 0.4 + 0.1 * Math.sin(6 * turn),
    height: 1.6 * along,
  }));
  const colours = new Float32Array(count * 4);
  for (let at = 0; at < count; at += 1) {
    const height = positions[3 * at + 1] ?? 0;
    colours.set([0.5 + 0.5 * Math.sin(9 * height), height / 1.6, 0.3, 1], 4 * at);
  }
  const { bin, bufferViews } = pack([positions, normals, indices, colours]);
  const [position, normal, index] = geometry(positions, count, indices.length);
  return makeGlb({
    json: scene({
      bufferViews,
      bin,
      accessors: [position, normal, index, accessor(3, count, 'VEC4')],
      nodes: [{ mesh: 0, name: 'Tube' }],
      attributes: { POSITION: 0, NORMAL: 1, COLOR_0: 3 },
      roots: [0],
    }),
    bin,
  });
}

/** A green bark of so many bumps that it stays large. */
export function makeRough(): Buffer {
  const { positions, normals, indices, count } = tube(
    ({ turn, along }) => ({
      radius: 0.5 + 0.15 * Math.sin(7 * along + 2 * turn) + 0.03 * noise(turn, along),
      height: 1.6 * along,
    }),
    { around: 220, rings: 220 },
  );
  const { bin, bufferViews } = pack([positions, normals, indices]);
  return makeGlb({
    json: scene({
      bufferViews,
      bin,
      accessors: [...geometry(positions, count, indices.length)],
      nodes: [{ mesh: 0, name: 'Bark' }],
      attributes: { POSITION: 0, NORMAL: 1 },
      roots: [0],
      colour: [0.02, 0.6, 0.05],
    }),
    bin,
  });
}

/** An arm that is bent at its elbow by two joints, and waves. */
export function makeSkinned(): Buffer {
  const { positions, normals, indices, count } = tube(({ along }) => ({
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
  const inverse = new Float32Array([...moved(0), ...moved(-1)]);
  const times = new Float32Array([0, 1, 2]);
  const turns = new Float32Array([...around(60), ...around(10), ...around(60)]);
  const arrays = [positions, normals, indices, joints, weights, inverse, times, turns];
  const { bin, bufferViews } = pack(arrays);
  const [position, normal, index] = geometry(positions, count, indices.length);
  const json = scene({
    bufferViews,
    bin,
    accessors: [
      ...[position, normal, index],
      accessor(3, count, 'VEC4', 5121),
      accessor(4, count, 'VEC4'),
      accessor(5, 2, 'MAT4'),
      { ...accessor(6, 3, 'SCALAR'), min: [0], max: [2] },
      accessor(7, 3, 'VEC4'),
    ],
    nodes: [
      { mesh: 0, skin: 0, name: 'Arm' },
      { name: 'Shoulder', children: [2] },
      { name: 'Elbow', translation: [0, 1, 0], rotation: around(60) },
    ],
    attributes: { POSITION: 0, NORMAL: 1, JOINTS_0: 3, WEIGHTS_0: 4 },
    roots: [0, 1],
    colour: [0.7, 0.2, 0.05],
  });
  json.skins = [{ joints: [1, 2], inverseBindMatrices: 5 }];
  const channel = { sampler: 0, target: { node: 2, path: 'rotation' } };
  json.animations = [{ name: 'Wave', samplers: [{ input: 6, output: 7 }], channels: [channel] }];
  return makeGlb({ json, bin });
}

type Shape = (place: { turn: number; along: number }) => { radius: number; height: number };

/** Jumps about from 0 to 1, always in the same way. */
function noise(turn: number, along: number): number {
  const large = 43758.5453 * Math.sin(12.9898 * Math.sin(turn) + 78.233 * along + Math.cos(turn));
  return large - Math.floor(large);
}

/** An open tube around the vertical axis, its normals straight outwards. */
function tube(shape: Shape, { around = 48, rings = 32 } = {}) {
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

function geometry(positions: Float32Array, count: number, indices: number) {
  const values = [0, 1, 2].map((axis) => positions.filter((_, at) => at % 3 === axis));
  const min = values.map((all) => Math.min(...all));
  const max = values.map((all) => Math.max(...all));
  return [
    { ...accessor(0, count, 'VEC3'), min, max },
    accessor(1, count, 'VEC3'),
    accessor(2, indices, 'SCALAR', 5123),
  ] as const;
}

type Parts = {
  bufferViews: Gltf[];
  bin: Buffer;
  accessors: Gltf[];
  nodes: Gltf[];
  attributes: Record<string, number>;
  roots: number[];
  colour?: readonly number[];
};

function scene({
  bufferViews,
  bin,
  accessors,
  nodes,
  attributes,
  roots,
  colour = [1, 1, 1],
}: Parts): Gltf {
  const baseColorFactor = [...colour, 1];
  const pbrMetallicRoughness = { baseColorFactor, metallicFactor: 0, roughnessFactor: 0.7 };
  return {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: roots }],
    nodes,
    meshes: [{ primitives: [{ attributes, indices: 2, material: 0 }] }],
    materials: [{ pbrMetallicRoughness, doubleSided: true }],
    ...{ accessors, bufferViews, buffers: [{ byteLength: bin.length }] },
  };
}

function accessor(bufferView: number, count: number, type: string, componentType = 5126): Gltf {
  return { bufferView, componentType, count, type };
}

function moved(up: number): number[] {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, up, 0, 1];
}

/** A turn around z, as a quaternion. */
function around(degrees: number): number[] {
  const half = (degrees * Math.PI) / 360;
  return [0, 0, Math.sin(half), Math.cos(half)];
}
