import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { SAMPLE_FILES } from '../../testing/formats/sample-files.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import { validateModel } from './validate-model.ts';

async function findCode(bytes: Buffer): Promise<string> {
  try {
    await validateModel(createBufferReader(bytes));
    return 'valid';
  } catch (error) {
    assert.ok(error instanceof Problem, String((error as Error).stack));
    return error.code;
  }
}

const ACCEPTABLE = ['valid', 'design.unreadable', 'design.unsupported', 'design.too-complex'];

describe('the beginning of a file is never an internal error', () => {
  for (const [format, makeFile] of Object.entries(SAMPLE_FILES)) {
    it(format, async () => {
      const bytes = makeFile();
      const step = Math.max(1, Math.floor(bytes.length / 400));
      for (let length = 0; length < bytes.length; length += length < 200 ? 1 : step) {
        const code = await findCode(bytes.subarray(0, length));
        assert.ok(ACCEPTABLE.includes(code), `${length} bytes: ${code}`);
      }
    });
  }

  it('an ASCII STL of one line', async () => {
    for (const text of ['solid', 'solid x\n', 'solid x facet', 'SOLID \r\n'])
      assert.equal(await findCode(Buffer.from(text)), 'design.unreadable', text);
  });
});

describe('an ASCII STL', () => {
  const vertices = (count: number) => 'vertex 0 0 1\n'.repeat(count);
  const facet = (count: number) =>
    `facet normal 0 0 1\nouter loop\n${vertices(count)}endloop\nendfacet\n`;
  const cases: [string, string, string][] = [
    ['facets of three vertices', facet(3) + facet(3), 'valid'],
    ['facets of two and four vertices', facet(2) + facet(4), 'design.unreadable'],
    ['vertices between facets', `${facet(3)}${vertices(3)}${facet(3)}`, 'design.unreadable'],
    ['a facet without vertices', facet(3) + facet(0), 'design.unreadable'],
  ];
  for (const [name, body, code] of cases) {
    it(`${name}: ${code}`, async () => {
      assert.equal(await findCode(Buffer.from(`solid x\n${body}endsolid x\n`)), code);
    });
  }
});

describe('-1 in a PLY', () => {
  const makeAscii = (element: string, row: string) =>
    Buffer.from(
      `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement ${element} 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n${row}\n`,
    );
  const makeBinary = (element: string, numbers: number[]) => {
    const body = Buffer.alloc(48 + 4 * numbers.length);
    const coordinates = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0];
    for (const [index, value] of coordinates.entries()) body.writeFloatLE(value, 4 * index);
    for (const [index, value] of numbers.entries()) body.writeInt32LE(value, 48 + 4 * index);
    const header = `ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement ${element} 1\nproperty list int int vertex_indices\nend_header\n`;
    return Buffer.concat([Buffer.from(header), body]);
  };
  it('ends a triangle strip', async () => {
    assert.equal(await findCode(makeAscii('tristrips', '8 0 1 2 -1 1 2 3 -1')), 'valid');
    assert.equal(await findCode(makeBinary('tristrips', [8, 0, 1, 2, -1, 1, 2, 3, -1])), 'valid');
  });
  it('is no vertex of a face, and -2 is none of a strip', async () => {
    assert.equal(await findCode(makeAscii('face', '4 0 1 2 -1')), 'design.unreadable');
    assert.equal(await findCode(makeBinary('face', [4, 0, 1, 2, -1])), 'design.unreadable');
    assert.equal(await findCode(makeBinary('tristrips', [4, 0, 1, 2, -2])), 'design.unreadable');
  });
});
