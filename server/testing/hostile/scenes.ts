import { makeFbx } from '../formats/fbx.ts';
import { makePng } from '../models.ts';
import { deflated, doubles, type FbxRecord, fbx, fbxScene, raw, text } from './fbx.ts';
import { type Canary, type Hostile, hostile, type Row } from './file.ts';
import { asciiFbx } from './sound.ts';

/** FBX, binary and ASCII. */
export function hostileScenes(canary: Canary): Hostile[] {
  return hostile('FBX', [...records(), ...models(), ...files(canary), ...texts()]);
}

function records(): Row[] {
  const deep = (depth: number): FbxRecord =>
    depth === 0 ? { name: 'a' } : { name: 'a', children: [deep(depth - 1)] };
  const array = (property: Buffer) => () => fbx([{ name: 'Vertices', properties: [property] }]);
  return [
    ['100 records within each other', () => fbx([deep(100)])],
    ['1000 records within each other', () => fbx([deep(1000)])],
    ['a record that ends before it starts', () => fbx([{ name: 'a', endLie: -20 }, { name: 'b' }])],
    ['a record that ends past the file', () => fbx([{ name: 'a', endLie: 1e6 }])],
    [
      'a child that ends past its parent',
      () => fbx([{ name: 'a', children: [{ name: 'b', endLie: 99 }] }]),
    ],
    ['an array of 2^32 - 1 doubles', array(doubles([0], 0xffffffff))],
    ['an array of 1e6 doubles in twenty bytes', array(doubles([0], 1e6))],
    ['an array of 100 MB of zeros', array(deflated(Buffer.alloc(1e8), 'd', 1e8 / 8))],
    ['an array packed in an unknown way', () => withEncoding(7)],
    ['more properties than there is room for', () => withCount(1e6)],
    [
      'a property of an unknown type',
      () => fbx([{ name: 'a', properties: [Buffer.from('Zabc')] }]),
    ],
    [
      'a text of 4 GB',
      () => fbx([{ name: 'a', properties: [Buffer.from('S\xff\xff\xff\xff', 'latin1')] }]),
    ],
    ['nothing behind its head', () => fbx([]).subarray(0, 27)],
    ['a head cut short', () => 'Kaydara FBX Binary'],
  ];
}

function models(): Row[] {
  const ids = Array.from({ length: 40 }, (_, at) => at + 2);
  const doubling = ids.flatMap((id): [number, number][] => {
    const parent = id === 2 ? 0 : id - 1;
    return [
      [id, parent],
      [id, parent],
    ];
  });
  const chain = Array.from({ length: 5000 }, (_, at) => at + 2);
  return [
    [
      'two models on each other',
      () =>
        fbxScene(
          [2, 3],
          [
            [2, 0],
            [3, 2],
            [2, 3],
          ],
        ),
    ],
    [
      'a model on itself',
      () =>
        fbxScene(
          [2],
          [
            [2, 0],
            [2, 2],
          ],
        ),
    ],
    ['40 models, each on the one before twice', () => fbxScene(ids, doubling)],
    [
      '5000 models in a chain',
      () =>
        fbxScene(
          chain,
          chain.map((id) => [id, id === 2 ? 0 : id - 1]),
        ),
    ],
  ];
}

function files({ file, url }: Canary): Row[] {
  // A whole one: what the library cannot read asks for no texture.
  const texture = (path: string) => () => makeFbx({ texture: path });
  const content = (image: Buffer): FbxRecord => ({
    name: 'Video',
    children: [{ name: 'Content', properties: [raw(image)] }],
  });
  const wide = makePng(1, 1, [0, 0, 0]);
  wide.writeUInt32BE(20_000, 16);
  return [
    ['a texture in a file', texture(file), 'ready without a texture'],
    ['a texture up the tree', texture(`../../../../..${file}`), 'ready without a texture'],
    ['a texture on the network', texture(`${url}/a.png`), 'ready without a texture'],
    ['a texture of 20 000 pixels in it', () => fbxScene([2], [[2, 0]], [content(wide)])],
  ];
}

function texts(): Row[] {
  return [
    ['text with an array of 1e9', () => asciiFbx('1000000000')],
    ['text with an array of 400 digits', () => asciiFbx('9'.repeat(400))],
    [
      'text of 5000 records within each other',
      () => `; FBX\n${'a: {'.repeat(5000)}${'}'.repeat(5000)}`,
    ],
    ['text that closes too much', () => '; FBX\na: { } }'],
    ['text that ends in a quote', () => `${asciiFbx()}a: "b`],
    ['text of nothing but comments', () => '; FBX\n'.repeat(1e6)],
  ];
}

function withEncoding(encoding: number): Buffer {
  const property = doubles([0, 0]);
  property.writeUInt32LE(encoding, 5);
  return fbx([{ name: 'Vertices', properties: [property] }]);
}

function withCount(count: number): Buffer {
  const file = fbx([{ name: 'a', properties: [text('b')] }]);
  file.writeUInt32LE(count, 27 + 4);
  return file;
}
