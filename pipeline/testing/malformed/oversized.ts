import { repeat } from '../hostile/hostile-file.ts';
import { makeKtx2Header } from '../ktx2.ts';
import { type LooseGltf, makeGlb, packBufferViews } from '../models.ts';
import { makePngWithDeclaredSize } from '../png.ts';
import type { MalformedFile } from './malformed-file.ts';
import { type GltfPatch, makePatchedBox } from './patched-box.ts';

/** Files that would decode to far more than their size, or that take long to process. */
export function* generateOversizedGlbs(): Iterable<MalformedFile> {
  const oversized = (name: string, reason: string, bytes: Buffer): MalformedFile => ({
    name,
    bytes,
    code: 'design.too-complex',
    reason,
  });
  const oversizedBox = (name: string, reason: string, patch: GltfPatch): MalformedFile =>
    oversized(name, reason, makePatchedBox(patch));

  yield* generateOversizedJson(oversized);
  const empty = (count: number, type: string, componentType = 5126) => ({
    count,
    type,
    componentType,
  });
  yield oversizedBox('1e8 vectors without data', 'geometry-bytes', {
    'accessors.6': empty(1e8, 'VEC3'),
  });
  yield oversizedBox('1e8 bytes without data', 'expansion', {
    'accessors.6': empty(1e8, 'SCALAR', 5121),
  });
  yield oversizedBox('3e8 bytes without data', 'empty-bytes', {
    'accessors.6': empty(3e8, 'SCALAR', 5121),
  });
  yield oversizedBox('meshopt of 1.2 GB', 'expansion', meshoptPatch(1e8));
  yield oversizedBox('Draco of 1.2 GB', 'geometry-bytes', dracoPatch(1e8));
  yield oversizedBox('Draco of 120 MB', 'expansion', dracoPatch(1e7));
  yield {
    ...oversized(
      'a Draco stream with larger counts than its accessors',
      'draco',
      makeDracoCountMismatch(),
    ),
    code: 'design.unreadable',
  };
  yield oversizedBox('two million instances', 'instances', {
    'accessors.6': empty(2e6, 'VEC3'),
    'nodes.0.extensions.EXT_mesh_gpu_instancing': { attributes: { TRANSLATION: 6 } },
  });
  yield oversizedBox('a million triangles in a hundred nodes', 'triangles', {
    'accessors.6': empty(3e6, 'SCALAR', 5123),
    'meshes.0.primitives.0.indices': 6,
    nodes: repeat(100, { mesh: 0 }),
  });
  yield oversizedBox('one morph target 501 times', 'morph-targets', {
    'meshes.0.primitives.0': { attributes: { POSITION: 0 }, targets: repeat(501, { POSITION: 0 }) },
  });
  yield oversizedBox('half a million values for each of 1000 channels', 'geometry-bytes', {
    'accessors.6': empty(5e5, 'SCALAR'),
    'accessors.7': empty(5e5, 'VEC4', 5122),
    'animations.0.samplers': [{ input: 6, output: 7 }],
    'animations.0.channels': repeat(1000, { sampler: 0, target: { node: 0, path: 'rotation' } }),
  });
  yield oversized('fifty accessors over the same bytes', 'overlap', makeOverlappingAccessors());
  yield* generateOversizedScenes(oversizedBox);
  yield* generateOversizedImages(oversized);
}

type MakeOversized = (name: string, reason: string, bytes: Buffer) => MalformedFile;
type MakeOversizedFromPatch = (name: string, reason: string, patch: GltfPatch) => MalformedFile;

function* generateOversizedJson(oversized: MakeOversized): Iterable<MalformedFile> {
  const wrap = (extras: string) =>
    makeGlb({ json: `{"asset":{"version":"2.0"},"extras":${extras}}` });
  yield oversized('JSON 150 deep', 'json-depth', wrap('['.repeat(150) + ']'.repeat(150)));
  yield oversized('JSON five million deep', 'json-depth', wrap('{"a":'.repeat(5e6)));
  yield oversized('five million values', 'json-values', wrap(`[${'0,'.repeat(5e6)}0]`));
  yield oversized('three million objects', 'json-values', wrap(`[${'{},'.repeat(3e6)}0]`));
  const members = Array.from({ length: 2e5 }, (_, index) => `"${index.toString(36)}":0`);
  yield oversized('200 000 different keys', 'json-keys', wrap(`{${members}}`));
  yield oversized('40 MB of spaces', 'json-bytes', wrap(' '.repeat(40e6)));
}

function* generateOversizedScenes(oversizedBox: MakeOversizedFromPatch): Iterable<MalformedFile> {
  const chain = (length: number) =>
    Array.from({ length }, (_, index) => (index + 1 < length ? { children: [index + 1] } : {}));
  yield oversizedBox('half a million nodes', 'nodes', { nodes: repeat(5e5, {}) });
  yield oversizedBox('half a million nodes in a chain', 'nodes', { nodes: chain(5e5) });
  yield oversizedBox('a chain of 90 000 nodes', 'node-depth', { nodes: chain(90_000) });
  yield oversizedBox('a thousand scenes of the same thousand nodes', 'nodes', {
    nodes: [{ children: Array.from({ length: 999 }, (_, index) => index + 1) }, ...repeat(999, {})],
    scenes: repeat(1000, { nodes: [0] }),
  });
  const primitive = { attributes: { POSITION: 0 } };
  yield oversizedBox('a thousand primitives in a thousand nodes', 'draws', {
    'meshes.0.primitives': repeat(1000, primitive),
    nodes: repeat(1000, { mesh: 0 }),
  });
}

function* generateOversizedImages(oversized: MakeOversized): Iterable<MalformedFile> {
  const wide = makePngWithDeclaredSize(20_000, 1);
  yield oversized('a PNG that is 20 000 pixels wide', 'image-side', makeGlbWithImages([wide]));
  const large = makePngWithDeclaredSize(16_000, 16_000);
  yield oversized('two PNGs of 16 000 × 16 000', 'pixels', makeGlbWithImages([large, large]));
  yield oversized('a PNG with two samplers', 'pixels', makeGlbWithImages([large], 2));

  const unreadable = (name: string, image: Buffer): MalformedFile => ({
    ...oversized(name, 'image-header', makeGlbWithImages([image])),
    code: 'design.unreadable',
  });
  const segments = Buffer.alloc(8_000_000, Buffer.from('ffe00002', 'hex'));
  segments.writeUInt16BE(0xffd8, 0);
  segments.writeUInt16BE(0xffe0, 2);
  yield unreadable('a JPEG of two million segments', segments);
  yield unreadable('a WebP without data', Buffer.from('RIFF\0\0\0\0WEBPVP8X', 'latin1'));
  yield unreadable('a KTX2 that decompresses to terabytes', makeKtx2Header(1, 2n ** 40n));
  yield unreadable('an AVIF without a size', Buffer.from('\0\0\0\x0cftypavif', 'latin1'));
}

function meshoptPatch(count: number): GltfPatch {
  const extension = { buffer: 0, byteLength: 288, byteStride: 12, count, mode: 'ATTRIBUTES' };
  return { 'bufferViews.0.extensions.EXT_meshopt_compression': extension };
}

function dracoPatch(count: number): GltfPatch {
  return {
    extensionsUsed: ['KHR_draco_mesh_compression'],
    'accessors.6': { count, type: 'VEC3', componentType: 5126, min: [0, 0, 0], max: [1, 1, 1] },
    'meshes.0.primitives.0': {
      attributes: { POSITION: 6 },
      extensions: { KHR_draco_mesh_compression: { bufferView: 0, attributes: { POSITION: 0 } } },
    },
  };
}

/** A stream whose header has 2^28 triangles, for accessors of eight. */
function makeDracoCountMismatch(): Buffer {
  const head = Buffer.from(
    'DRACO\x02\x02\x01\x01\0\0\0\x80\x80\x80\x80\x01\x80\x80\x80\x80\x01',
    'latin1',
  );
  return makePatchedBox(dracoPatch(24), { patchBin: (bin) => head.copy(bin) });
}

function makeOverlappingAccessors(): Buffer {
  const { bin, bufferViews } = packBufferViews([Buffer.alloc(4e6)]);
  const indices = Array.from({ length: 50 }, (_, index) => index);
  const json: LooseGltf = {
    asset: { version: '2.0' },
    meshes: [{ primitives: indices.map((POSITION) => ({ attributes: { POSITION } })) }],
    accessors: indices.map((index) => ({
      bufferView: 0,
      byteOffset: 4 * index,
      componentType: 5126,
      count: 333_000,
      type: 'VEC3',
    })),
    bufferViews,
    buffers: [{ byteLength: bin.length }],
  };
  return makeGlb({ json, bin });
}

/** A GLB with each image in a material, with `samplerCount` samplers for each. */
function makeGlbWithImages(files: Buffer[], samplerCount = 1): Buffer {
  const { bin, bufferViews } = packBufferViews(files);
  const sources = files.flatMap((_, source) => repeat(samplerCount, source));
  const json: LooseGltf = {
    asset: { version: '2.0' },
    samplers: Array.from({ length: samplerCount }, (_, index) => ({ magFilter: 9728 + index })),
    images: files.map((_, bufferView) => ({ bufferView, mimeType: 'image/png' })),
    textures: sources.map((source, index) => ({ source, sampler: index % samplerCount })),
    materials: sources.map((_, index) => ({ normalTexture: { index } })),
    bufferViews,
    buffers: [{ byteLength: bin.length }],
  };
  return makeGlb({ json, bin });
}
