import { makePng } from './png.ts';

type NumericArray = Float32Array | Uint32Array | Uint16Array | Uint8Array;

/** A glTF as JSON of any shape, so that tests can make it invalid. */
export type LooseGltf = { [list: string]: unknown };

/** The two chunks of a GLB. */
export type UnpackedGlb = { json: LooseGltf; bin: Buffer };

/** Options of a generated box. */
export type BoxOptions = {
  name?: string;
  /** Length of an edge, in meters. */
  size?: number;
  /** Linear red, green and blue, from 0 to 1. */
  color?: readonly [number, number, number];
  /** Renders exactly this color (KHR_materials_unlit). */
  unlit?: boolean;
  /** Adds a small white PNG as texture, which does not change the color. */
  textured?: boolean;
  /** Adds an animation: one turn around the Y axis in two seconds. */
  spinning?: boolean;
};

const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/** Creates a GLB. JSON given as text or bytes is written as it is, valid or not. */
export function makeGlb({
  json,
  bin,
}: {
  json: LooseGltf | string | Buffer;
  bin?: Buffer;
}): Buffer {
  const isText = Buffer.isBuffer(json) || typeof json === 'string';
  const chunks = [
    makeGlbChunk(JSON_CHUNK, Buffer.from(isText ? json : JSON.stringify(json)), 0x20),
  ];
  if (bin !== undefined) chunks.push(makeGlbChunk(BIN_CHUNK, bin, 0));
  const header = Buffer.from('glTF\x02\0\0\0\0\0\0\0', 'latin1');
  const glb = Buffer.concat([header, ...chunks]);
  glb.writeUInt32LE(glb.length, 8);
  return glb;
}

/** Encodes a chunk of a GLB, padded to a multiple of four bytes. */
export function makeGlbChunk(type: number, bytes: Buffer, padding: number): Buffer {
  const padded = Buffer.alloc(8 + Math.ceil(bytes.length / 4) * 4, padding);
  padded.writeUInt32LE(padded.length - 8, 0);
  padded.writeUInt32LE(type, 4);
  bytes.copy(padded, 8);
  return padded;
}

/** Concatenates arrays, each aligned to four bytes, and creates a buffer view for each. */
export function packBufferViews(arrays: readonly (NumericArray | Buffer)[]): {
  bin: Buffer;
  bufferViews: LooseGltf[];
} {
  const bufferViews: LooseGltf[] = [];
  const pieces: Buffer[] = [];
  let byteOffset = 0;
  for (const array of arrays) {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
    bufferViews.push({ buffer: 0, byteOffset, byteLength: bytes.length });
    pieces.push(bytes, padding);
    byteOffset += bytes.length + padding.length;
  }
  return { bin: Buffer.concat(pieces), bufferViews };
}

/** Creates a small valid GLB of a box of one color. */
export function makeBox(options: BoxOptions = {}): Buffer {
  return makeGlb(makeUnpackedBox(options));
}

/**
 * Creates the JSON and the binary data of a box.
 *
 * Accessors and buffer views: 0 positions, 1 normals, 2 texture coordinates, 3 indices, and if it is
 * animated 4 times and 5 rotations. The image is in the last buffer view.
 */
export function makeUnpackedBox(options: BoxOptions = {}): UnpackedGlb {
  const { name = 'Box', size = 1, color = [1, 0, 0], unlit, textured, spinning } = options;
  const half = size / 2;
  const arrays: (NumericArray | Buffer)[] = makeBoxArrays(half);
  if (spinning) arrays.push(...makeSpinKeyframes());
  if (textured) arrays.push(makePng(4, 4, [255, 255, 255]));
  const { bin, bufferViews } = packBufferViews(arrays);
  const json: LooseGltf = {
    asset: { version: '2.0', generator: 'Cloche tests' },
    ...(unlit && { extensionsUsed: ['KHR_materials_unlit'] }),
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ name, mesh: 0 }],
    meshes: [
      {
        primitives: [
          { attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3, material: 0 },
        ],
      },
    ],
    materials: [
      {
        pbrMetallicRoughness: {
          baseColorFactor: [...color, 1],
          metallicFactor: 0,
          ...(textured && { baseColorTexture: { index: 0 } }),
        },
        ...(unlit && { extensions: { KHR_materials_unlit: {} } }),
      },
    ],
    ...(textured && {
      textures: [{ source: 0, sampler: 0 }],
      samplers: [{ magFilter: 9729, minFilter: 9987 }],
      images: [{ bufferView: arrays.length - 1, mimeType: 'image/png' }],
    }),
    ...(spinning && {
      animations: [
        {
          name: 'Spin',
          samplers: [{ input: 4, output: 5 }],
          channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
        },
      ],
    }),
    accessors: [
      { ...makeAccessorJson(0, 24, 'VEC3'), min: [-half, -half, -half], max: [half, half, half] },
      makeAccessorJson(1, 24, 'VEC3'),
      makeAccessorJson(2, 24, 'VEC2'),
      makeAccessorJson(3, 36, 'SCALAR', 5123),
      ...(spinning
        ? [
            { ...makeAccessorJson(4, 5, 'SCALAR'), min: [0], max: [2] },
            makeAccessorJson(5, 5, 'VEC4'),
          ]
        : []),
    ],
    bufferViews,
    buffers: [{ byteLength: bin.length }],
  };
  return { json, bin };
}

/**
 * Creates a terrain grid of exactly that many triangles, 10 m wide: a model of any size. With a `roughness`, in meters,
 * triangles are visible that would be removed otherwise. Without normals, it is flat-shaded.
 */
export function makeGridGlb(triangles: number, { roughness = 0, hasNormals = false } = {}): Buffer {
  const side = Math.ceil(Math.sqrt(triangles / 2));
  const count = (side + 1) ** 2;
  const positions = new Float32Array(count * 3);
  const normals = new Float32Array(count * 3);
  for (let vertex = 0; vertex < count; vertex++) {
    const [x, z] = [(vertex % (side + 1)) / side, Math.floor(vertex / (side + 1)) / side];
    const y = Math.sin(9 * x) * Math.cos(7 * z) + roughness * Math.sin(vertex ** 2);
    positions.set([10 * x - 5, y, 10 * z - 5], vertex * 3);
    const slopeX = 0.9 * Math.cos(9 * x) * Math.cos(7 * z);
    const slopeZ = -0.7 * Math.sin(9 * x) * Math.sin(7 * z);
    const length = Math.hypot(slopeX, 1, slopeZ);
    normals.set([-slopeX / length, 1 / length, -slopeZ / length], vertex * 3);
  }
  const indices = new Uint32Array(triangles * 3);
  for (let triangle = 0; triangle < triangles; triangle++) {
    const cell = triangle >> 1;
    const corner = Math.floor(cell / side) * (side + 1) + (cell % side);
    const [right, below] = [corner + 1, corner + side + 1];
    indices.set(
      triangle % 2 === 0 ? [corner, below, right] : [right, below, below + 1],
      triangle * 3,
    );
  }
  const { bin, bufferViews } = packBufferViews([
    positions,
    indices,
    ...(hasNormals ? [normals] : []),
  ]);
  const attributes = { POSITION: 0, ...(hasNormals && { NORMAL: 2 }) };
  const json = {
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes, indices: 1 }] }],
    accessors: [
      {
        ...makeAccessorJson(0, count, 'VEC3'),
        min: [-5, -1 - roughness, -5],
        max: [5, 1 + roughness, 5],
      },
      makeAccessorJson(1, triangles * 3, 'SCALAR', 5125),
      ...(hasNormals ? [makeAccessorJson(2, count, 'VEC3')] : []),
    ],
    bufferViews,
    buffers: [{ byteLength: bin.length }],
  };
  return makeGlb({ json, bin });
}

/** Creates a valid GLB with a BIN chunk of `sizeBytes` bytes, a multiple of four, mostly unused. */
export function makeLargeGlb(sizeBytes: number, name = 'Large'): Buffer {
  const { json, bin } = makeUnpackedBox({ name });
  const largeBin = Buffer.alloc(sizeBytes);
  for (let offset = 0; offset < sizeBytes; offset += 4) {
    largeBin.writeUInt32LE((offset * 2654435761) >>> 0, offset);
  }
  bin.copy(largeBin);
  return makeGlb({ json: { ...json, buffers: [{ byteLength: sizeBytes }] }, bin: largeBin });
}

function makeAccessorJson(
  bufferView: number,
  count: number,
  type: string,
  componentType = 5126,
): LooseGltf {
  return { bufferView, componentType, count, type };
}

/** Returns positions, normals, texture coordinates and indices of a box of 24 vertices. */
function makeBoxArrays(half: number): NumericArray[] {
  const faces = [
    { normal: [1, 0, 0], right: [0, 0, -1], up: [0, 1, 0] },
    { normal: [-1, 0, 0], right: [0, 0, 1], up: [0, 1, 0] },
    { normal: [0, 1, 0], right: [1, 0, 0], up: [0, 0, -1] },
    { normal: [0, -1, 0], right: [1, 0, 0], up: [0, 0, 1] },
    { normal: [0, 0, 1], right: [1, 0, 0], up: [0, 1, 0] },
    { normal: [0, 0, -1], right: [-1, 0, 0], up: [0, 1, 0] },
  ];
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ] as const;
  const positions = faces.flatMap(({ normal, right, up }) =>
    corners.flatMap(([x, y]) =>
      normal.map(
        (outward, axis) => half * (outward + x * (right[axis] ?? 0) + y * (up[axis] ?? 0)),
      ),
    ),
  );
  const normals = faces.flatMap(({ normal }) => corners.flatMap(() => normal));
  const coordinates = faces.flatMap(() => corners.flatMap(([x, y]) => [(x + 1) / 2, (1 - y) / 2]));
  const indices = faces.flatMap((_, face) => [0, 1, 2, 0, 2, 3].map((corner) => 4 * face + corner));
  return [
    new Float32Array(positions),
    new Float32Array(normals),
    new Float32Array(coordinates),
    new Uint16Array(indices),
  ];
}

function makeSpinKeyframes(): NumericArray[] {
  const turns = [0, 0.25, 0.5, 0.75, 1];
  return [
    new Float32Array(turns.map((turn) => 2 * turn)),
    new Float32Array(turns.flatMap((t) => [0, Math.sin(Math.PI * t), 0, Math.cos(Math.PI * t)])),
  ];
}
