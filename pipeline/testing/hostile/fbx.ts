import {
  encodeBinaryFbx,
  type FbxNodeInput,
  fbxDeflatedArray,
  fbxDoubleArray,
  fbxRawBytes,
  fbxString,
  makeBinaryFbxScene,
} from '../formats/binary-fbx.ts';
import { makeFbx } from '../formats/fbx.ts';
import { makePngWithDeclaredSize } from '../png.ts';
import {
  type CanaryTargets,
  type HostileFile,
  type HostileFileCase,
  toHostileFiles,
} from './hostile-file.ts';
import { makeMinimalAsciiFbx } from './valid-files.ts';

/** Malicious FBX files, binary and ASCII. */
export function listHostileFbxFiles(canary: CanaryTargets): HostileFile[] {
  return toHostileFiles('FBX', [
    ...hostileNodes(),
    ...hostileModelGraphs(),
    ...hostileTextures(canary),
    ...hostileAsciiFiles(),
  ]);
}

function hostileNodes(): HostileFileCase[] {
  const deep = (depth: number): FbxNodeInput =>
    depth === 0 ? { name: 'a' } : { name: 'a', children: [deep(depth - 1)] };
  const array = (property: Buffer) => () =>
    encodeBinaryFbx([{ name: 'Vertices', properties: [property] }]);
  return [
    ['100 nested records', () => encodeBinaryFbx([deep(100)])],
    ['1000 nested records', () => encodeBinaryFbx([deep(1000)])],
    [
      'a record that ends before it starts',
      () => encodeBinaryFbx([{ name: 'a', endOffsetError: -20 }, { name: 'b' }]),
    ],
    [
      'a record that ends past the file',
      () => encodeBinaryFbx([{ name: 'a', endOffsetError: 1e6 }]),
    ],
    [
      'a child that ends past its parent',
      () => encodeBinaryFbx([{ name: 'a', children: [{ name: 'b', endOffsetError: 99 }] }]),
    ],
    ['an array of 2^32 - 1 doubles', array(fbxDoubleArray([0], 0xffffffff))],
    ['an array of 1e6 doubles in twenty bytes', array(fbxDoubleArray([0], 1e6))],
    ['an array of 100 MB of zeros', array(fbxDeflatedArray(Buffer.alloc(1e8), 'd', 1e8 / 8))],
    ['an array with an unknown encoding', () => withArrayEncoding(7)],
    ['more properties than fit', () => withPropertyCount(1e6)],
    [
      'a property of an unknown type',
      () => encodeBinaryFbx([{ name: 'a', properties: [Buffer.from('Zabc')] }]),
    ],
    [
      'a string of 4 GB',
      () =>
        encodeBinaryFbx([{ name: 'a', properties: [Buffer.from('S\xff\xff\xff\xff', 'latin1')] }]),
    ],
    ['only a header', () => encodeBinaryFbx([]).subarray(0, 27)],
    ['a truncated header', () => 'Kaydara FBX Binary'],
  ];
}

function hostileModelGraphs(): HostileFileCase[] {
  const ids = Array.from({ length: 40 }, (_, index) => index + 2);
  const doubling = ids.flatMap((id): [number, number][] => {
    const parent = id === 2 ? 0 : id - 1;
    return [
      [id, parent],
      [id, parent],
    ];
  });
  const chain = Array.from({ length: 5000 }, (_, index) => index + 2);
  return [
    [
      "two models that are each other's parents",
      () =>
        makeBinaryFbxScene(
          [2, 3],
          [
            [2, 0],
            [3, 2],
            [2, 3],
          ],
        ),
    ],
    [
      'a model that is its own parent',
      () =>
        makeBinaryFbxScene(
          [2],
          [
            [2, 0],
            [2, 2],
          ],
        ),
    ],
    [
      '40 models, each connected to the previous one twice',
      () => makeBinaryFbxScene(ids, doubling),
    ],
    [
      '5000 models in a chain',
      () =>
        makeBinaryFbxScene(
          chain,
          chain.map((id) => [id, id === 2 ? 0 : id - 1]),
        ),
    ],
  ];
}

function hostileTextures({ filePath, url }: CanaryTargets): HostileFileCase[] {
  // In a valid file, so that the library reaches the texture.
  const texture = (path: string) => () => makeFbx({ texture: path });
  const content = (image: Buffer): FbxNodeInput => ({
    name: 'Video',
    children: [{ name: 'Content', properties: [fbxRawBytes(image)] }],
  });
  const wide = makePngWithDeclaredSize(20_000, 1);
  return [
    ['a texture in a file', texture(filePath), 'ready without a texture'],
    [
      'a texture in a parent directory',
      texture(`../../../../..${filePath}`),
      'ready without a texture',
    ],
    ['a texture on the network', texture(`${url}/a.png`), 'ready without a texture'],
    [
      'an embedded texture that is 20 000 pixels wide',
      () => makeBinaryFbxScene([2], [[2, 0]], [content(wide)]),
    ],
  ];
}

function hostileAsciiFiles(): HostileFileCase[] {
  return [
    ['text with an array of 1e9', () => makeMinimalAsciiFbx('1000000000')],
    ['text with an array of 400 digits', () => makeMinimalAsciiFbx('9'.repeat(400))],
    ['text of 5000 nested records', () => `; FBX\n${'a: {'.repeat(5000)}${'}'.repeat(5000)}`],
    ['text with too many closing braces', () => '; FBX\na: { } }'],
    ['text that ends in a quote', () => `${makeMinimalAsciiFbx()}a: "b`],
    ['text of only comments', () => '; FBX\n'.repeat(1e6)],
  ];
}

function withArrayEncoding(encoding: number): Buffer {
  const property = fbxDoubleArray([0, 0]);
  property.writeUInt32LE(encoding, 5);
  return encodeBinaryFbx([{ name: 'Vertices', properties: [property] }]);
}

function withPropertyCount(count: number): Buffer {
  const file = encodeBinaryFbx([{ name: 'a', properties: [fbxString('b')] }]);
  file.writeUInt32LE(count, 27 + 4);
  return file;
}
