import { objAsking } from './archives.ts';
import { type Canary, type Hostile, hostile, type Row } from './file.ts';
import { asciiPly, asciiStl, binaryPly, binaryStl, obj, objFiles } from './sound.ts';
import { zip } from './zip.ts';

/** OBJ, STL and PLY. */
export function hostileMeshes(canary: Canary): Hostile[] {
  return [...hostile('OBJ', objs(canary)), ...hostile('STL', stls()), ...hostile('PLY', plys())];
}

function objs({ file, url }: Canary): Row[] {
  const texture = (path: string) => () => objAsking(`newmtl a\nmap_Kd ${path}\n`);
  const triangle = (face: string) => () => `v 0 0 0\nv 1 0 0\nv 0 1 0\nf ${face}\n`;
  return [
    ['materials in a file', () => obj(`mtllib ${file}`)],
    ['materials up the tree', () => obj(`mtllib ../../../../..${file}`)],
    ['materials on the network', () => obj(`mtllib ${url}/a.mtl`)],
    ['materials on a drive', () => obj('mtllib C:\\a.mtl')],
    ['materials in a file, in a zip', () => zip(objFiles({ model: obj(`mtllib ${file}`) }))],
    ['a texture in a file', texture(file), 'ready without a texture'],
    ['a texture up the tree', texture(`../../../../..${file}`), 'ready without a texture'],
    ['a texture on the network', texture(`${url}/a.png`), 'ready without a texture'],
    ['materials that go on for ever', () => objAsking('newmtl a\nKd 1 1 1\n'.repeat(1e5)), 'ready'],
    ['a command', () => obj(`o a\ncall ${file}\ncsh -rm`), 'any'],
    ['corner 1 000 000 000', triangle('1 2 1000000000')],
    ['corner -1 000 000 000', triangle('1 2 -1000000000')],
    ['corner of 400 digits', triangle(`1 2 ${'9'.repeat(400)}`)],
    ['a texture coordinate that is not there', triangle('1/1 2/2 3/3')],
    ['a face of words', triangle('one two three')],
    ['a vertex at NaN', () => obj('v nan nan nan')],
    ['a vertex at 1e999', () => obj('v 1e999 0 0')],
    ['a line of 20 MB', () => obj(`# ${'a'.repeat(20e6)}`)],
    ['a line of 20 MB in pieces', () => obj('g a \\\n'.repeat(4e6))],
    ['no vertices', () => 'o a\nf 1 2 3\n'],
    ['cut short within a face', triangle('1 2 33')],
  ];
}

function stls(): Row[] {
  const wild = (value: number) => () => {
    const stl = binaryStl();
    stl.writeFloatLE(value, 84 + 12);
    return stl;
  };
  return [
    ['a thousand triangles in the room of two', () => binaryStl({ count: 1000 })],
    ['one triangle in the room of two', () => binaryStl({ count: 1 })],
    ['2^32 - 1 triangles', () => binaryStl({ count: 0xffffffff })],
    ['no triangles', () => binaryStl({ count: 0, facets: 0 })],
    ['a corner at NaN', wild(Number.NaN)],
    ['a corner at infinity', wild(Number.NEGATIVE_INFINITY)],
    ['cut short', () => binaryStl({ head: 'box' }).subarray(0, 150)],
    ['text with a corner at NaN', () => asciiStl('nan 0 0')],
    ['text with a corner at 1e400', () => asciiStl('1e400 0 0')],
    ['text with four corners', () => asciiStl('0 1 0\n vertex 0 0 1')],
    ['text in one line of 20 MB', () => `solid ${'facet '.repeat(4e6)}`],
    ['nothing but solid', () => 'solid a\nendsolid a\n'],
  ];
}

function plys(): Row[] {
  const elements = (vertices: string, faces = '1') =>
    `element vertex ${vertices}\nproperty float x\nproperty float y\nproperty float z\nelement face ${faces}\nproperty list uchar int vertex_indices\n`;
  return [
    ['1e9 vertices in text', () => asciiPly({ elements: elements('1000000000') })],
    ['1e9 vertices', () => binaryPly({ elements: elements('1000000000') })],
    ['1e9 faces', () => binaryPly({ elements: elements('3', '1000000000') })],
    ['4 vertices and data of 3', () => asciiPly({ elements: elements('4') })],
    ['-1 vertices', () => binaryPly({ elements: elements('-1') })],
    [
      '1e14 things without properties',
      () => binaryPly({ elements: `${elements('3')}element a 99999999999999\n` }),
    ],
    ['a corner that is not there', () => binaryPly({ last: 3 })],
    ['a corner of -1', () => binaryPly({ last: -1 })],
    ['a face of 255 corners in the room of three', () => binaryPly({ count: 255 })],
    [
      'a face of two thousand million corners',
      () => binaryPly({ elements: elements('3').replace('uchar', 'int') }),
    ],
    [
      'a face of more corners than its line',
      () => asciiPly({ rows: '0 0 0\n1 0 0\n0 1 0\n9 0 1 2\n' }),
    ],
    [
      'a corner of 1e9 in text',
      () => asciiPly({ rows: '0 0 0\n1 0 0\n0 1 0\n3 0 1 1000000000\n' }),
    ],
    ['a vertex at NaN', () => asciiPly({ rows: 'nan 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' })],
    [
      'a type that is none',
      () => asciiPly({ elements: elements('3').replace('float', '__proto__') }),
    ],
    ['a header without an end', () => `ply\nformat ascii 1.0\n${'comment a\n'.repeat(1e5)}`],
    ['10 000 elements', () => asciiPly({ elements: 'element a 0\n'.repeat(5000) })],
    ['no vertices', () => asciiPly({ elements: elements('0', '0'), rows: '' })],
  ];
}
