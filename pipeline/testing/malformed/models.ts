import type { MalformedFile } from './malformed-file.ts';
import { listMeshCases } from './meshes.ts';
import { listAnimationCases, listNodeCases } from './nodes-and-animations.ts';
import { type GltfPatch, type GltfPatchCase, makePatchedBox } from './patched-box.ts';

/** Small files, mostly boxes with one invalid value. */
export function* generateMalformedModels(): Iterable<MalformedFile> {
  const tables = [
    listUriCases(),
    listBufferCases(),
    listAccessorCases(),
    listMaterialCases(),
    listMeshCases(),
    listNodeCases(),
    listAnimationCases(),
  ];
  for (const [name, patch, reason] of tables.flat()) {
    yield { name, bytes: makePatchedBox(patch), code: 'design.unreadable', reason };
  }
  yield* generateMalformedBinaryData();
}

function listUriCases(): GltfPatchCase[] {
  const image = 'images.0.uri';
  return [
    ['a buffer in a system file', { 'buffers.0.uri': '/etc/passwd' }, 'uri'],
    ['a buffer at a file: address', { 'buffers.0.uri': 'file:///etc/passwd' }, 'uri'],
    ['a buffer on the network', { 'buffers.0.uri': 'http://169.254.169.254/latest' }, 'uri'],
    ['a buffer beside the file', { 'buffers.0.uri': 'Box0.bin' }, 'uri'],
    ['an image on the network', { [image]: 'https://evil.example/a.png' }, 'uri'],
    ['an image in a parent directory', { [image]: '../../../secret.png' }, 'uri'],
    ['an image at a blob: address', { [image]: 'blob:https://a.example/1' }, 'uri'],
    ['a uri in an unknown extension', { 'extensions.EVIL_sound.uri': '//evil.example/a' }, 'uri'],
    ['a uri that is a number', { 'buffers.0.uri': 5 }, 'type'],
    ['a data: URI too short', { 'buffers.0.uri': 'data:;base64,AAAA' }, 'range'],
    ['a data: URI without data', { 'buffers.0.uri': 'data:text/plain' }, 'uri'],
    [
      'an unknown required extension',
      requiredExtensionPatch('EVIL_magic'),
      'extension-unsupported',
    ],
    ['an extension name with control characters', { extensionsUsed: ['\u202e\u0007'] }, 'name'],
    [
      'an extension that is required but not used',
      { extensionsRequired: ['KHR_materials_unlit'] },
      'extension-undeclared',
    ],
  ];
}

function requiredExtensionPatch(name: string): GltfPatch {
  return { extensionsUsed: [name], extensionsRequired: [name] };
}

function listBufferCases(): GltfPatchCase[] {
  return [
    ['a buffer longer than the BIN chunk', { 'buffers.0.byteLength': 1e6 }, 'range'],
    ['a second buffer without data', { 'buffers.1': { byteLength: 4 } }, 'buffer'],
    ['a buffer of negative length', { 'buffers.0.byteLength': -1 }, 'range'],
    ['a view of a missing buffer', { 'bufferViews.0.buffer': 1 }, 'index'],
    ['a view past its buffer', { 'bufferViews.3.byteOffset': 1e9 }, 'range'],
    ['a view at a negative offset', { 'bufferViews.0.byteOffset': -4 }, 'range'],
    ['a view at half a byte', { 'bufferViews.0.byteOffset': 0.5 }, 'type'],
    ['a view whose end overflows 32 bits', { 'bufferViews.0.byteOffset': 2 ** 32 }, 'range'],
    ['a stride of 256', { 'bufferViews.0.byteStride': 256 }, 'range'],
    ['buffers that are an object', { buffers: { 0: {} } }, 'type'],
    ['a buffer that is null', { 'buffers.0': null }, 'type'],
    ['a name that is a number', { 'nodes.0.name': 7 }, 'type'],
  ];
}

function listAccessorCases(): GltfPatchCase[] {
  const indices = { bufferView: 3, componentType: 5123 };
  const sparse = (patch: object) => ({
    'accessors.0.sparse': { count: 2, indices, values: { bufferView: 0 }, ...patch },
  });
  return [
    ['an accessor of a missing view', { 'accessors.3.bufferView': 17 }, 'index'],
    ['an accessor of view -1', { 'accessors.3.bufferView': -1 }, 'index'],
    ['an accessor past its view', { 'accessors.0.count': 25 }, 'range'],
    ['an accessor of no elements', { 'accessors.0.count': 0 }, 'range'],
    ['an accessor of 1e300 elements', { 'accessors.0.count': 1e300 }, 'range'],
    ['an accessor that is not aligned', { 'accessors.3.byteOffset': 1 }, 'alignment'],
    ['a stride shorter than an element', { 'bufferViews.0.byteStride': 8 }, 'stride'],
    [
      'a stride that is not a multiple of the component',
      { 'bufferViews.0.byteStride': 14 },
      'stride',
    ],
    ['an unknown component type', { 'accessors.0.componentType': 5124 }, 'type'],
    ['an unknown element type', { 'accessors.0.type': 'VEC5' }, 'type'],
    ['normalized floats', { 'accessors.0.normalized': true }, 'type'],
    ['bounds of two numbers', { 'accessors.0.min': [0, 0] }, 'length'],
    ['bounds that are strings', { 'accessors.0.max': ['a', 'b', 'c'] }, 'type'],
    [
      'sparse indices that do not increase',
      sparse({ indices: { ...indices, byteOffset: 4 } }),
      'sparse',
    ],
    ['more sparse values than elements', sparse({ count: 25 }), 'range'],
    [
      'sparse values past their view',
      sparse({ values: { bufferView: 0, byteOffset: 280 } }),
      'range',
    ],
    [
      'a sparse index out of range',
      sparse({ count: 1, indices: { bufferView: 3, componentType: 5125 } }),
      'sparse',
    ],
  ];
}

function listMaterialCases(): GltfPatchCase[] {
  const base = 'materials.0.pbrMetallicRoughness';
  const sheen = 'materials.0.extensions.KHR_materials_sheen';
  return [
    ['a missing texture', { [`${base}.baseColorTexture.index`]: 1 }, 'index'],
    ['a texture info of null', { 'materials.0.normalTexture': null }, 'type'],
    [
      'a missing texture in an extension',
      { [`${sheen}.sheenColorTexture`]: { index: 9 } },
      'index',
    ],
    ['a factor of null', { 'materials.0.emissiveFactor': null }, 'type'],
    ['a texture without an image', { 'textures.0.source': undefined }, 'texture-source'],
    ['a missing image', { 'textures.0.source': 3 }, 'index'],
    ['a missing sampler', { 'textures.0.sampler': 3 }, 'index'],
    ['an unknown filter', { 'samplers.0.magFilter': 1 }, 'type'],
    ['an image with a uri and a bufferView', { 'images.0.uri': 'data:,' }, 'image'],
    ['an image with neither uri nor bufferView', { 'images.0.bufferView': undefined }, 'image'],
    ['an image of invalid bytes', { 'images.0.bufferView': 0 }, 'image-format'],
    ['an SVG image', svgImagePatch(), 'image-format'],
    ['a missing variant', variantsPatch(1), 'index'],
    [
      'an unlit material that is not in extensionsUsed',
      { 'materials.0.extensions.KHR_materials_unlit': {} },
      'extension-undeclared',
    ],
  ];
}

function svgImagePatch(): GltfPatch {
  return { 'images.0': { uri: 'data:image/svg+xml,<svg onload="alert(1)"/>' } };
}

function variantsPatch(index: number): GltfPatch {
  return {
    'extensions.KHR_materials_variants': { variants: [{ name: 'Red' }] },
    'meshes.0.primitives.0.extensions.KHR_materials_variants': {
      mappings: [{ material: 0, variants: [index] }],
    },
  };
}

/** Valid JSON with invalid binary data. */
function* generateMalformedBinaryData(): Iterable<MalformedFile> {
  const code = 'design.unreadable';
  const data = (name: string, reason: string, change: (bin: Buffer) => void): MalformedFile => ({
    name,
    bytes: makePatchedBox({}, { patchBin: change }),
    code,
    reason,
  });
  const indicesOffset = 24 * 32;
  const timesOffset = indicesOffset + 72;
  yield data('a NaN position', 'not-finite', (bin) => bin.writeFloatLE(Number.NaN, 40));
  yield data('an infinite position', 'not-finite', (bin) => bin.writeUInt32LE(0x7f800000, 0));
  yield data('an index without a vertex', 'index-value', (bin) =>
    bin.writeUInt16LE(24, indicesOffset),
  );
  yield data('a NaN animation time', 'not-finite', (bin) =>
    bin.writeFloatLE(Number.NaN, timesOffset),
  );
  yield data('a truncated image', 'image-header', (bin) => bin.fill(0, bin.indexOf('IHDR')));
}
