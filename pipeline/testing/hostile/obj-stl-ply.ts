import { makeRawZip } from '../formats/raw-zip.ts';
import { zipObjWithMaterials } from './archives.ts';
import {
  type CanaryTargets,
  type HostileFile,
  type HostileFileCase,
  toHostileFiles,
} from './hostile-file.ts';
import {
  makeMinimalAsciiPly,
  makeMinimalAsciiStl,
  makeMinimalBinaryPly,
  makeMinimalBinaryStl,
  makeMinimalObj,
  makeObjZipEntries,
} from './valid-files.ts';

/** Malicious OBJ, STL and PLY files. */
export function listHostileMeshFiles(canary: CanaryTargets): HostileFile[] {
  return [
    ...toHostileFiles('OBJ', hostileObjs(canary)),
    ...toHostileFiles('STL', hostileStls()),
    ...toHostileFiles('PLY', hostilePlys()),
  ];
}

function hostileObjs({ filePath, url }: CanaryTargets): HostileFileCase[] {
  const texture = (path: string) => () => zipObjWithMaterials(`newmtl a\nmap_Kd ${path}\n`);
  const triangle = (face: string) => () => `v 0 0 0\nv 1 0 0\nv 0 1 0\nf ${face}\n`;
  return [
    ['materials in a file', () => makeMinimalObj(`mtllib ${filePath}`)],
    ['materials in a parent directory', () => makeMinimalObj(`mtllib ../../../../..${filePath}`)],
    ['materials on the network', () => makeMinimalObj(`mtllib ${url}/a.mtl`)],
    ['materials on a drive', () => makeMinimalObj('mtllib C:\\a.mtl')],
    [
      'materials in a file, in a zip',
      () => makeRawZip(makeObjZipEntries({ model: makeMinimalObj(`mtllib ${filePath}`) })),
    ],
    ['a texture in a file', texture(filePath), 'ready without a texture'],
    [
      'a texture in a parent directory',
      texture(`../../../../..${filePath}`),
      'ready without a texture',
    ],
    ['a texture on the network', texture(`${url}/a.png`), 'ready without a texture'],
    ['materials of 2 MB', () => zipObjWithMaterials('newmtl a\nKd 1 1 1\n'.repeat(1e5)), 'ready'],
    [
      'statements that run a command',
      () => makeMinimalObj(`o a\ncall ${filePath}\ncsh -rm`),
      'any',
    ],
    ['vertex index 1 000 000 000', triangle('1 2 1000000000')],
    ['vertex index -1 000 000 000', triangle('1 2 -1000000000')],
    ['a vertex index of 400 digits', triangle(`1 2 ${'9'.repeat(400)}`)],
    ['a missing texture coordinate', triangle('1/1 2/2 3/3')],
    ['a face of words', triangle('one two three')],
    ['a vertex at NaN', () => makeMinimalObj('v nan nan nan')],
    ['a vertex at 1e999', () => makeMinimalObj('v 1e999 0 0')],
    ['a line of 20 MB', () => makeMinimalObj(`# ${'a'.repeat(20e6)}`)],
    ['a line of 20 MB in pieces', () => makeMinimalObj('g a \\\n'.repeat(4e6))],
    ['no vertices', () => 'o a\nf 1 2 3\n'],
    ['truncated in a face', triangle('1 2 33')],
  ];
}

function hostileStls(): HostileFileCase[] {
  const withCoordinate = (value: number) => () => {
    const stl = makeMinimalBinaryStl();
    stl.writeFloatLE(value, 84 + 12);
    return stl;
  };
  return [
    ['a count of a thousand for two triangles', () => makeMinimalBinaryStl({ count: 1000 })],
    ['a count of one for two triangles', () => makeMinimalBinaryStl({ count: 1 })],
    ['2^32 - 1 triangles', () => makeMinimalBinaryStl({ count: 0xffffffff })],
    ['no triangles', () => makeMinimalBinaryStl({ count: 0, facets: 0 })],
    ['a vertex at NaN', withCoordinate(Number.NaN)],
    ['a vertex at infinity', withCoordinate(Number.NEGATIVE_INFINITY)],
    ['truncated', () => makeMinimalBinaryStl({ head: 'box' }).subarray(0, 150)],
    ['text with a vertex at NaN', () => makeMinimalAsciiStl('nan 0 0')],
    ['text with a vertex at 1e400', () => makeMinimalAsciiStl('1e400 0 0')],
    ['text with four vertices in a facet', () => makeMinimalAsciiStl('0 1 0\n vertex 0 0 1')],
    ['text in one line of 20 MB', () => `solid ${'facet '.repeat(4e6)}`],
    [
      'text with a facet in a line and many spaces',
      () => `solid a\nfacet normal 0 0 1 vertex 0 0 0 ${' '.repeat(1e6)}x`,
    ],
    ['only solid', () => 'solid a\nendsolid a\n'],
  ];
}

function hostilePlys(): HostileFileCase[] {
  const elements = (vertices: string, faces = '1') =>
    `element vertex ${vertices}\nproperty float x\nproperty float y\nproperty float z\nelement face ${faces}\nproperty list uchar int vertex_indices\n`;
  return [
    ['1e9 vertices in text', () => makeMinimalAsciiPly({ elements: elements('1000000000') })],
    ['1e9 vertices', () => makeMinimalBinaryPly({ elements: elements('1000000000') })],
    ['1e9 faces', () => makeMinimalBinaryPly({ elements: elements('3', '1000000000') })],
    ['4 vertices and data of 3', () => makeMinimalAsciiPly({ elements: elements('4') })],
    ['-1 vertices', () => makeMinimalBinaryPly({ elements: elements('-1') })],
    [
      '1e14 elements without properties',
      () => makeMinimalBinaryPly({ elements: `${elements('3')}element a 99999999999999\n` }),
    ],
    ['an index without a vertex', () => makeMinimalBinaryPly({ last: 3 })],
    ['a vertex index of -1', () => makeMinimalBinaryPly({ last: -1 })],
    ['a face of 255 vertices with data of three', () => makeMinimalBinaryPly({ count: 255 })],
    [
      'a face of two billion vertices',
      () => makeMinimalBinaryPly({ elements: elements('3').replace('uchar', 'int') }),
    ],
    [
      'a face of more vertices than its line has',
      () => makeMinimalAsciiPly({ rows: '0 0 0\n1 0 0\n0 1 0\n9 0 1 2\n' }),
    ],
    [
      'a vertex index of 1e9 in text',
      () => makeMinimalAsciiPly({ rows: '0 0 0\n1 0 0\n0 1 0\n3 0 1 1000000000\n' }),
    ],
    ['a vertex at NaN', () => makeMinimalAsciiPly({ rows: 'nan 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' })],
    [
      'an unknown type',
      () => makeMinimalAsciiPly({ elements: elements('3').replace('float', '__proto__') }),
    ],
    ['a header without an end', () => `ply\nformat ascii 1.0\n${'comment a\n'.repeat(1e5)}`],
    ['10 000 elements', () => makeMinimalAsciiPly({ elements: 'element a 0\n'.repeat(5000) })],
    ['no vertices', () => makeMinimalAsciiPly({ elements: elements('0', '0'), rows: '' })],
  ];
}
