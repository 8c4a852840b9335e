import { makePng } from '../models.ts';
import { type Canary, type Hostile, hostile, type Row, repeat } from './file.ts';
import { blackPng } from './picture.ts';
import { gltfFiles } from './sound.ts';
import { zip } from './zip.ts';

type Json = Record<string, unknown>;

/** Texts of glTF, alone and in archives: what the corpus of broken GLBs does not have. */
export function hostileGltfs(canary: Canary): Hostile[] {
  return [
    ...hostile('glTF', texts(canary)),
    ...hostile('zip of a glTF', [...addresses(canary), ...data(), ...images()]),
  ];
}

function texts({ file, url }: Canary): Row[] {
  const asset = '"asset":{"version":"2.0"}';
  const buffer = (uri: string) => () => `{${asset},"buffers":[{"byteLength":4,"uri":"${uri}"}]}`;
  const list = (name: string, count: number, item: string) => () =>
    `{${asset},"${name}":[${repeat(count, item)}]}`;
  return [
    ['a buffer in a file', buffer(file)],
    ['a buffer at a file: address', buffer(`file://${file}`)],
    ['a buffer on the network', buffer(`${url}/a.bin`)],
    [
      'a buffer on the network, in an unknown extension',
      () => `{${asset},"extensions":{"A":{"uri":"${url}"}}}`,
    ],
    ['a buffer beside it', buffer('scene.bin')],
    ['a buffer of fewer bytes than it says', buffer('data:;base64,AA==')],
    ['JSON 5000 deep', () => `{${asset},"extras":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['JSON cut short', () => `{${asset},"nodes":[{}`],
    ['140 MB of text', () => `{${asset},"extras":"${'a'.repeat(140e6)}"}`],
    ['a million nodes', list('nodes', 1e6, '{}')],
    ['100 000 materials', list('materials', 1e5, '{}')],
    ['an animation of 1e8 keys', () => JSON.stringify(animation(1e8))],
    ['JSON that is no glTF', () => '{"name":"a","dependencies":{}}'],
  ];
}

/** Keys without data: the file only says that they are there. */
function animation(count: number): Json {
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

function spoilt(change: (json: Json) => void, files?: Parameters<typeof gltfFiles>[1]) {
  return () => zip(gltfFiles(change, files));
}

function addresses({ file, url }: Canary): Row[] {
  const buffer = (uri: string) => spoilt((json) => put(json, 'buffers', 0, { uri }));
  const image = (uri: string) => spoilt((json) => put(json, 'images', 0, { uri }));
  return [
    ['a buffer up the tree', buffer(`../../../../../../../..${file}`)],
    ['a buffer up the tree, escaped', buffer(`%2e%2e/%2e%2e/%2e%2e/%2e%2e${file}`)],
    ['a buffer in a file', buffer(file)],
    ['a buffer at a file: address', buffer(`file://${file}`)],
    ['a buffer on the network', buffer(`${url}/a.bin`)],
    ['a buffer on the network, without a scheme', buffer(url.replace(/^https?:/, ''))],
    ['a buffer that is not there', buffer('missing.bin')],
    ['an image in a file', image(`file://${file}`)],
    ['an image on the network', image(`${url}/a.png`)],
    ['an image up the tree with backslashes', image(`..\\..\\${file}`)],
    ['an image that is not there', image('missing.png')],
    ['an image that is the model', image('scene.gltf')],
  ];
}

function data(): Row[] {
  const change = (at: number, value: number) => (bin: Buffer) => {
    const copy = Buffer.from(bin);
    copy.writeFloatLE(value, at);
    return copy;
  };
  const indices = 24 * 32;
  const packed = (name: string, extension: Json) =>
    spoilt((json) => {
      json.extensionsUsed = [name];
      put(json, 'bufferViews', 0, { extensions: { [name]: extension } });
    });
  const stream = { buffer: 0, byteLength: 288, byteStride: 12, count: 3e8, mode: 'ATTRIBUTES' };
  return [
    ['a vertex at NaN', spoilt(() => {}, { bin: change(0, Number.NaN) })],
    ['a vertex at infinity', spoilt(() => {}, { bin: change(4, Number.POSITIVE_INFINITY) })],
    ['an index out of range', spoilt(() => {}, { bin: change(indices, 1e30) })],
    ['half of the buffer', spoilt(() => {}, { bin: (bin) => bin.subarray(0, bin.length / 2) })],
    ['meshopt of gigabytes', packed('EXT_meshopt_compression', stream)],
    ['meshopt of gigabytes, by its other name', packed('KHR_meshopt_compression', stream)],
    ['Draco of gigabytes', spoilt(draco)],
    ['half a million nodes', spoilt((json) => Object.assign(json, { nodes: repeat(5e5, {}) }))],
    ['100 000 materials', spoilt((json) => Object.assign(json, { materials: repeat(1e5, {}) }))],
  ];
}

function draco(json: Json): void {
  json.extensionsUsed = ['KHR_draco_mesh_compression'];
  (json.accessors as Json[])[0] = { count: 1e9, type: 'VEC3', componentType: 5126 };
  const extension = { bufferView: 0, attributes: { POSITION: 0 } };
  const primitive = {
    attributes: { POSITION: 0 },
    extensions: { KHR_draco_mesh_compression: extension },
  };
  json.meshes = [{ primitives: [primitive] }];
}

function images(): Row[] {
  const shown = (image: () => Buffer) => () => zip(gltfFiles(() => {}, { image: image() }));
  const svg = (body: string) => () =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`);
  return [
    ['a PNG of 16 000 × 16 000', shown(() => blackPng(16_000)), 'ready'],
    ['a PNG of one pixel that says 16 000 × 16 000', shown(() => png(16_000, 16_000)), 'any'],
    ['a PNG of 20 000 × 20 000', shown(() => png(20_000, 20_000))],
    ['a PNG of 2^31 × 2^31', shown(() => png(2 ** 31 - 1, 2 ** 31 - 1))],
    ['a PNG whose pixels unpack to 12 MB', shown(pngBomb), 'any'],
    ['a PNG cut short', shown(() => makePng(64, 64, [1, 2, 3]).subarray(0, 60)), 'any'],
    ['a PNG of no pixels', shown(() => png(0, 4))],
    ['a JPEG of 65 535 × 65 535', shown(() => jpeg(65_535, 65_535))],
    ['a WebP of 2^24 × 2^24', shown(() => webp(2 ** 24, 2 ** 24))],
    ['a KTX2 of levels beyond number', shown(() => ktx2(0xffffffff, 2n ** 30n))],
    ['a KTX2 level of terabytes', shown(() => ktx2(1, 2n ** 42n))],
    ['an SVG with a script', shown(svg('<script>fetch("/v1/tokens")</script>'))],
    ['an SVG that takes a file', shown(svg('<image href="file:///etc/passwd"/>'))],
    ['a GIF', shown(() => Buffer.from('GIF89a\xff\xff\xff\xff', 'latin1'))],
  ];
}

function png(width: number, height: number): Buffer {
  const image = makePng(1, 1, [0, 0, 0]);
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image;
}

/** Rows for 2000 × 2000 pixels in a picture that says it has four by four. */
function pngBomb(): Buffer {
  const image = makePng(2000, 2000, [0, 0, 0]);
  image.writeUInt32BE(4, 16);
  image.writeUInt32BE(4, 20);
  return image;
}

function jpeg(width: number, height: number): Buffer {
  const head = Buffer.from('ffd8ffc0000b080000000001011100', 'hex');
  head.writeUInt16BE(height, 7);
  head.writeUInt16BE(width, 9);
  return head;
}

function webp(width: number, height: number): Buffer {
  const head = Buffer.alloc(30);
  head.write('RIFF\0\0\0\0WEBPVP8X\x0a', 'latin1');
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return head;
}

function ktx2(levels: number, bytes: bigint): Buffer {
  const file = Buffer.alloc(80 + 24 + 16);
  file.write('\xabKTX 20\xbb\r\n\x1a\n', 'latin1');
  file.writeUInt32LE(4, 20);
  file.writeUInt32LE(4, 24);
  file.writeUInt32LE(1, 36);
  file.writeUInt32LE(levels, 40);
  file.writeBigUInt64LE(bytes, 80 + 16);
  return file;
}

function put(json: Json, list: string, index: number, value: Json): void {
  Object.assign((json[list] as Json[])[index] ?? {}, value);
}
