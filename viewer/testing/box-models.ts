/** Small models generated in code, for the viewer's tests. */
import { CONTACT_SHADOW_MEMBER, type ContactShadow } from '@cloche/contract/contact-shadow';
import { MeshoptEncoder } from 'meshoptimizer';

/** The JSON of a glTF, valid or not. */
export type LooseGltfJson = Record<string, unknown>;

/** A model as a file. */
export type GlbBytes = Uint8Array<ArrayBuffer>;

type Vec3 = readonly [number, number, number];

const FLOAT = 5126;
const UNSIGNED_INT = 5125;
const GREEN: Vec3 = [0, 0.6, 0.1];

/** Creates the geometry of a box: positions, normals and texture coordinates of 24 vertices, and 36 indices. */
function createBoxMesh([width, height, depth]: Vec3) {
  const positions: number[] = [];
  const normals: number[] = [];
  const coordinates: number[] = [];
  const indices: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const sign of [-1, 1]) {
      const first = positions.length / 3;
      for (const [u, v] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const) {
        const corner = [0, 0, 0];
        corner[axis] = sign;
        corner[(axis + 1) % 3] = u * sign;
        corner[(axis + 2) % 3] = v;
        const [x = 0, y = 0, z = 0] = corner;
        positions.push((x * width) / 2, (y * height) / 2, (z * depth) / 2);
        normals.push(...[0, 1, 2].map((side) => (side === axis ? sign : 0)));
        coordinates.push((u + 1) / 2, (v + 1) / 2);
      }
      indices.push(...[0, 1, 2, 0, 2, 3].map((corner) => first + corner));
    }
  }
  return {
    positions: new Float32Array(positions),
    normals: new Float32Array(normals),
    coordinates: new Float32Array(coordinates),
    indices: new Uint32Array(indices),
    max: [width / 2, height / 2, depth / 2],
  };
}

type BoxGlbOptions = {
  /** Metres. */
  size?: Vec3;
  /** Linear RGB. */
  color?: Vec3;
  shadow?: ContactShadow;
  /** The bytes of additional buffer views; the first one has the index 4. */
  extraBufferViews?: readonly Uint8Array[];
  /** Changes the JSON before the GLB is packed. */
  change?: (gltf: LooseGltfJson) => void;
};

/** Creates a box of one color as a GLB. */
export function createBoxGlb({
  size = [1, 1, 1],
  color = GREEN,
  shadow,
  extraBufferViews = [],
  change,
}: BoxGlbOptions = {}): GlbBytes {
  const { positions, normals, coordinates, indices, max } = createBoxMesh(size);
  const gltf = createBoxJson(max, color);
  const parts = [positions, normals, coordinates, indices].map(toBytes);
  const buffer = packBufferViews(gltf, [...parts, ...extraBufferViews]);
  if (shadow) (gltf.asset as LooseGltfJson).extras = { [CONTACT_SHADOW_MEMBER]: shadow };
  change?.(gltf);
  return packGlb(gltf, buffer);
}

/** Creates a box with interleaved vertices. The buffer view ends after the last normal, within the last stride. */
export function createInterleavedBoxGlb(): GlbBytes {
  const { positions, normals, indices, max } = createBoxMesh([1, 1, 1]);
  const stride = 32;
  const vertices = new Uint8Array(24 * stride - 8);
  for (let vertex = 0; vertex < 24; vertex++) {
    vertices.set(toBytes(positions.slice(vertex * 3, vertex * 3 + 3)), vertex * stride);
    vertices.set(toBytes(normals.slice(vertex * 3, vertex * 3 + 3)), vertex * stride + 12);
  }
  const gltf = createBoxJson(max, GREEN);
  const [position, normal, , index] = gltf.accessors as LooseGltfJson[];
  gltf.accessors = [
    position,
    { ...normal, bufferView: 0, byteOffset: 12 },
    { ...index, bufferView: 1 },
  ];
  const buffer = packBufferViews(gltf, [vertices, toBytes(indices)]);
  Object.assign((gltf.bufferViews as LooseGltfJson[])[0] ?? {}, { byteStride: stride });
  const attributes = { POSITION: 0, NORMAL: 1 };
  gltf.meshes = [{ primitives: [{ attributes, indices: 2, material: 0 }] }];
  return packGlb(gltf, buffer);
}

function createBoxJson(max: number[], color: Vec3): LooseGltfJson {
  const min = max.map((value) => -value);
  return {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
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
          roughnessFactor: 0.9,
        },
      },
    ],
    accessors: [
      { bufferView: 0, componentType: FLOAT, count: 24, type: 'VEC3', min, max },
      { bufferView: 1, componentType: FLOAT, count: 24, type: 'VEC3' },
      { bufferView: 2, componentType: FLOAT, count: 24, type: 'VEC2' },
      { bufferView: 3, componentType: UNSIGNED_INT, count: 36, type: 'SCALAR' },
    ],
  };
}

/** Creates a box with its geometry compressed by meshopt. */
export async function createMeshoptBoxGlb(): Promise<GlbBytes> {
  await MeshoptEncoder.ready;
  const { positions, normals, coordinates, indices, max } = createBoxMesh([1, 1, 1]);
  const parts = [
    { bytes: toBytes(positions), count: 24, byteStride: 12, mode: 'ATTRIBUTES' },
    { bytes: toBytes(normals), count: 24, byteStride: 12, mode: 'ATTRIBUTES' },
    { bytes: toBytes(coordinates), count: 24, byteStride: 8, mode: 'ATTRIBUTES' },
    { bytes: toBytes(indices), count: 36, byteStride: 4, mode: 'TRIANGLES' },
  ];
  const packed = parts.map(({ bytes, count, byteStride, mode }) =>
    MeshoptEncoder.encodeGltfBuffer(bytes, count, byteStride, mode),
  );
  const gltf = createBoxJson(max, GREEN);
  const buffer = packBufferViews(gltf, packed);
  let byteOffset = 0;
  gltf.bufferViews = (gltf.bufferViews as LooseGltfJson[]).map((view, index) => {
    const { bytes, count, byteStride, mode } = parts[index] ?? ({} as (typeof parts)[0]);
    const decoded = { buffer: 1, byteOffset, byteLength: bytes.byteLength };
    byteOffset += bytes.byteLength;
    const compressed = { ...view, count, byteStride, mode };
    return { ...decoded, extensions: { KHR_meshopt_compression: compressed } };
  });
  const fallback = {
    byteLength: byteOffset,
    extensions: { KHR_meshopt_compression: { fallback: true } },
  };
  (gltf.buffers as LooseGltfJson[]).push(fallback);
  return packGlb(requireExtension(gltf, 'KHR_meshopt_compression'), buffer);
}

/** Creates a box with a KTX2 texture (UASTC) of one color. */
export function createKtx2BoxGlb(color: readonly [number, number, number]): GlbBytes {
  const { positions, normals, coordinates, indices, max } = createBoxMesh([1, 1, 1]);
  const gltf = createBoxJson(max, [1, 1, 1]);
  const parts = [positions, normals, coordinates, indices].map(toBytes);
  const buffer = packBufferViews(gltf, [...parts, createKtx2(color)]);
  gltf.images = [{ bufferView: 4, mimeType: 'image/ktx2' }];
  gltf.textures = [{ extensions: { KHR_texture_basisu: { source: 0 } } }];
  const [material] = gltf.materials as [{ pbrMetallicRoughness: LooseGltfJson }];
  material.pbrMetallicRoughness.baseColorTexture = { index: 0 };
  return packGlb(requireExtension(gltf, 'KHR_texture_basisu'), buffer);
}

/** Creates a KTX2 file of 4 × 4 pixels of one sRGB color. */
function createKtx2([red, green, blue]: readonly [number, number, number]): GlbBytes {
  const HEADER = 80;
  const LEVELS = 24;
  const DESCRIPTOR = 44;
  const start = Math.ceil((HEADER + LEVELS + DESCRIPTOR) / 16) * 16;
  const bytes = new Uint8Array(start + 16);
  const view = new DataView(bytes.buffer);
  bytes.set([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a]);
  // vkFormat, typeSize, width, height, depth, layers, faces, levels, supercompression
  for (const [index, value] of [0, 1, 4, 4, 0, 0, 1, 1, 0].entries()) {
    view.setUint32(12 + index * 4, value, true);
  }
  view.setUint32(48, HEADER + LEVELS, true);
  view.setUint32(52, DESCRIPTOR, true);
  view.setBigUint64(80, BigInt(start), true);
  view.setBigUint64(88, 16n, true);
  view.setBigUint64(96, 16n, true);
  // Data format: UASTC (166), BT.709 primaries, sRGB transfer, 4 × 4 blocks of 16 bytes, one sample.
  const descriptor = [DESCRIPTOR, 0, 2 | ((DESCRIPTOR - 4) << 16), 166 | (1 << 8) | (2 << 16)];
  descriptor.push(3 | (3 << 8), 16, 0, (127 << 16) | 0, 0, 0, 0xffffffff);
  for (const [index, value] of descriptor.entries()) {
    view.setUint32(HEADER + LEVELS + index * 4, value, true);
  }
  // UASTC mode 8, a single color: five bits 10111, then red, green, blue, alpha.
  let block = 0x17n;
  for (const [index, value] of [red, green, blue, 255].entries()) {
    block |= BigInt(value) << BigInt(5 + index * 8);
  }
  view.setBigUint64(start, block, true);
  return bytes;
}

function requireExtension(gltf: LooseGltfJson, extension: string): LooseGltfJson {
  return { ...gltf, extensionsUsed: [extension], extensionsRequired: [extension] };
}

function toBytes({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): GlbBytes {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Concatenates the parts and adds a buffer view for each of them to the JSON. */
function packBufferViews(gltf: LooseGltfJson, parts: readonly Uint8Array[]): GlbBytes {
  const views: LooseGltfJson[] = [];
  let end = 0;
  for (const { byteLength } of parts) {
    views.push({ buffer: 0, byteOffset: end, byteLength });
    end = Math.ceil((end + byteLength) / 4) * 4;
  }
  const buffer = new Uint8Array(end);
  for (const [index, part] of parts.entries()) buffer.set(part, views[index]?.byteOffset as number);
  Object.assign(gltf, { bufferViews: views, buffers: [{ byteLength: end }] });
  return buffer;
}

/** Packs JSON and a binary chunk, unless that is empty, into a GLB. */
export function packGlb(gltf: LooseGltfJson, binary: GlbBytes = new Uint8Array()): GlbBytes {
  const text = new TextEncoder().encode(JSON.stringify(gltf));
  const jsonLength = Math.ceil(text.byteLength / 4) * 4;
  const total = 20 + jsonLength + (binary.byteLength > 0 ? 8 + binary.byteLength : 0);
  const glb = new Uint8Array(total).fill(0x20, 20, 20 + jsonLength);
  const view = new DataView(glb.buffer);
  const words = [0x46546c67, 2, total, jsonLength, 0x4e4f534a];
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word, true);
  glb.set(text, 20);
  if (binary.byteLength === 0) return glb;
  view.setUint32(20 + jsonLength, binary.byteLength, true);
  view.setUint32(24 + jsonLength, 0x004e4942, true);
  glb.set(binary, 28 + jsonLength);
  return glb;
}
