import { makeRawZip } from '../formats/raw-zip.ts';
import { makeKtx2Header } from '../ktx2.ts';
import { makeBlackPng, makePng, makePngWithDeclaredSize } from '../png.ts';
import {
  type CanaryTargets,
  type HostileFile,
  type HostileFileCase,
  repeat,
  toHostileFiles,
} from './hostile-file.ts';
import { makeGltfZipEntries } from './valid-files.ts';

type JsonProperties = Record<string, unknown>;

/** Malicious .gltf files, alone and in archives. malformed-glbs.ts has GLBs. */
export function listHostileGltfs(canary: CanaryTargets): HostileFile[] {
  return [
    ...toHostileFiles('glTF', hostileGltfJson(canary)),
    ...toHostileFiles('zip of a glTF', [
      ...hostileUris(canary),
      ...hostileBuffers(),
      ...hostileImages(),
    ]),
  ];
}

function hostileGltfJson({ filePath, url }: CanaryTargets): HostileFileCase[] {
  const asset = '"asset":{"version":"2.0"}';
  const buffer = (uri: string) => () => `{${asset},"buffers":[{"byteLength":4,"uri":"${uri}"}]}`;
  const list = (name: string, count: number, item: string) => () =>
    `{${asset},"${name}":[${repeat(count, item)}]}`;
  return [
    ['a buffer in a file', buffer(filePath)],
    ['a buffer at a file: address', buffer(`file://${filePath}`)],
    ['a buffer on the network', buffer(`${url}/a.bin`)],
    [
      'a buffer on the network, in an unknown extension',
      () => `{${asset},"extensions":{"A":{"uri":"${url}"}}}`,
    ],
    ['an external buffer', buffer('scene.bin')],
    ['a buffer with fewer bytes than declared', buffer('data:;base64,AA==')],
    ['JSON 5000 deep', () => `{${asset},"extras":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['truncated JSON', () => `{${asset},"nodes":[{}`],
    ['140 MB of text', () => `{${asset},"extras":"${'a'.repeat(140e6)}"}`],
    ['a million nodes', list('nodes', 1e6, '{}')],
    ['100 000 materials', list('materials', 1e5, '{}')],
    ['an animation of 1e8 keys', () => JSON.stringify(animationWithoutData(1e8))],
    ['JSON that is not a glTF', () => '{"name":"a","dependencies":{}}'],
  ];
}

/** Animation keys that are declared without data. */
function animationWithoutData(count: number): JsonProperties {
  const accessor = (type: string) => ({ count, type, componentType: 5126, min: [0], max: [1] });
  return {
    asset: { version: '2.0' },
    nodes: [{}],
    accessors: [accessor('SCALAR'), { ...accessor('VEC4'), min: undefined, max: undefined }],
    animations: [
      {
        samplers: [{ input: 0, output: 1 }],
        channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
      },
    ],
  };
}

function zipModifiedGltf(
  change: (json: JsonProperties) => void,
  files?: Parameters<typeof makeGltfZipEntries>[1],
) {
  return () => makeRawZip(makeGltfZipEntries(change, files));
}

function hostileUris({ filePath, url }: CanaryTargets): HostileFileCase[] {
  const buffer = (uri: string) =>
    zipModifiedGltf((json) => assignToListItem(json, 'buffers', 0, { uri }));
  const image = (uri: string) =>
    zipModifiedGltf((json) => assignToListItem(json, 'images', 0, { uri }));
  return [
    ['a buffer in a parent directory', buffer(`../../../../../../../..${filePath}`)],
    ['a buffer in a parent directory, escaped', buffer(`%2e%2e/%2e%2e/%2e%2e/%2e%2e${filePath}`)],
    ['a buffer in a file', buffer(filePath)],
    ['a buffer at a file: address', buffer(`file://${filePath}`)],
    ['a buffer on the network', buffer(`${url}/a.bin`)],
    ['a buffer on the network, without a scheme', buffer(url.replace(/^https?:/, ''))],
    ['a missing buffer', buffer('missing.bin')],
    ['an image in a file', image(`file://${filePath}`), 'ready without a texture'],
    ['an image on the network', image(`${url}/a.png`), 'ready without a texture'],
    [
      'an image in a parent directory, with backslashes',
      image(`..\\..\\${filePath}`),
      'ready without a texture',
    ],
    ['a missing image', image('missing.png'), 'ready without a texture'],
    ['an image that is the model', image('scene.gltf'), 'ready without a texture'],
  ];
}

function hostileBuffers(): HostileFileCase[] {
  const change = (offset: number, value: number) => (bin: Buffer) => {
    const copy = Buffer.from(bin);
    copy.writeFloatLE(value, offset);
    return copy;
  };
  const indices = 24 * 32;
  const compressed = (name: string, extension: JsonProperties) =>
    zipModifiedGltf((json) => {
      json.extensionsUsed = [name];
      assignToListItem(json, 'bufferViews', 0, { extensions: { [name]: extension } });
    });
  const stream = { buffer: 0, byteLength: 288, byteStride: 12, count: 3e8, mode: 'ATTRIBUTES' };
  return [
    ['a vertex at NaN', zipModifiedGltf(() => {}, { bin: change(0, Number.NaN) })],
    [
      'a vertex at infinity',
      zipModifiedGltf(() => {}, { bin: change(4, Number.POSITIVE_INFINITY) }),
    ],
    ['an index out of range', zipModifiedGltf(() => {}, { bin: change(indices, 1e30) })],
    [
      'half of the buffer',
      zipModifiedGltf(() => {}, { bin: (bin) => bin.subarray(0, bin.length / 2) }),
    ],
    ['meshopt of gigabytes', compressed('EXT_meshopt_compression', stream)],
    ['meshopt of gigabytes, by its other name', compressed('KHR_meshopt_compression', stream)],
    ['Draco of gigabytes', zipModifiedGltf(addOversizedDraco)],
    [
      'half a million nodes',
      zipModifiedGltf((json) => Object.assign(json, { nodes: repeat(5e5, {}) })),
    ],
    [
      '100 000 materials',
      zipModifiedGltf((json) => Object.assign(json, { materials: repeat(1e5, {}) })),
    ],
  ];
}

function addOversizedDraco(json: JsonProperties): void {
  json.extensionsUsed = ['KHR_draco_mesh_compression'];
  (json.accessors as JsonProperties[])[0] = { count: 1e9, type: 'VEC3', componentType: 5126 };
  const extension = { bufferView: 0, attributes: { POSITION: 0 } };
  const primitive = {
    attributes: { POSITION: 0 },
    extensions: { KHR_draco_mesh_compression: extension },
  };
  json.meshes = [{ primitives: [primitive] }];
}

function hostileImages(): HostileFileCase[] {
  const withImage = (image: () => Buffer) => () =>
    makeRawZip(makeGltfZipEntries(() => {}, { image: image() }));
  const svg = (body: string) => () =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`);
  return [
    ['a PNG of 16 000 × 16 000', withImage(() => makeBlackPng(16_000)), 'ready'],
    [
      'a PNG of one pixel with a declared size of 16 000 × 16 000',
      withImage(() => makePngWithDeclaredSize(16_000, 16_000)),
      'any',
    ],
    ['a PNG of 20 000 × 20 000', withImage(() => makePngWithDeclaredSize(20_000, 20_000))],
    ['a PNG of 2^31 × 2^31', withImage(() => makePngWithDeclaredSize(2 ** 31 - 1, 2 ** 31 - 1))],
    ['a PNG of 4 × 4 pixels with 12 MB of data', withImage(pngBomb), 'any'],
    ['a truncated PNG', withImage(() => makePng(64, 64, [1, 2, 3]).subarray(0, 60)), 'any'],
    ['a PNG without pixels', withImage(() => makePngWithDeclaredSize(0, 4))],
    ['a JPEG of 65 535 × 65 535', withImage(() => jpegHeader(65_535, 65_535))],
    ['a WebP of 2^24 × 2^24', withImage(() => webpHeader(2 ** 24, 2 ** 24))],
    ['a KTX2 of 2^32 - 1 levels', withImage(() => makeKtx2Header(0xffffffff, 2n ** 30n))],
    ['a KTX2 level of terabytes', withImage(() => makeKtx2Header(1, 2n ** 42n))],
    ['an SVG with a script', withImage(svg('<script>fetch("/v1/tokens")</script>'))],
    ['an SVG that references a file', withImage(svg('<image href="file:///etc/passwd"/>'))],
    ['a GIF', withImage(() => Buffer.from('GIF89a\xff\xff\xff\xff', 'latin1'))],
  ];
}

/** Data of 2000 × 2000 pixels in an image with a declared size of 4 × 4. */
function pngBomb(): Buffer {
  const image = makePng(2000, 2000, [0, 0, 0]);
  image.writeUInt32BE(4, 16);
  image.writeUInt32BE(4, 20);
  return image;
}

function jpegHeader(width: number, height: number): Buffer {
  const head = Buffer.from('ffd8ffc0000b080000000001011100', 'hex');
  head.writeUInt16BE(height, 7);
  head.writeUInt16BE(width, 9);
  return head;
}

function webpHeader(width: number, height: number): Buffer {
  const head = Buffer.alloc(30);
  head.write('RIFF\0\0\0\0WEBPVP8X\x0a', 'latin1');
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return head;
}

function assignToListItem(
  json: JsonProperties,
  list: string,
  index: number,
  value: JsonProperties,
): void {
  Object.assign((json[list] as JsonProperties[])[index] ?? {}, value);
}
