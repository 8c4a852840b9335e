import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makePly } from '../../../testing/formats/ply.ts';
import { listVertexColors } from '../../../testing/formats/vertex-colors.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateModel } from '../validate-model.ts';

const CUBE = { min: [0, 0, 0], max: [1, 1, 1], triangles: 12 };
const FORMATS = ['ascii', 'binary_little_endian', 'binary_big_endian'] as const;

describe('PLY import', () => {
  for (const format of FORMATS) {
    it(`reads ${format} with vertex colors`, async () => {
      const colors = [
        [255, 0, 0],
        [128, 128, 128],
      ] as const;
      const { model, document, badNormals } = await importFile(makePly({ format, colors }), 'ply');
      assert.partialDeepStrictEqual(model, CUBE);
      assert.deepEqual(
        listVertexColors(document),
        new Set(['1,0,0,1', '0.216,0.216,0.216,1', '1,1,1,1']),
      );
      assert.deepEqual(badNormals, []);
    });

    for (const [name, lineEnd] of [
      ['CR', '\r'],
      ['CR LF', '\r\n'],
    ] as const) {
      it(`reads ${format} with lines that end with ${name}`, async () => {
        const { model } = await importFile(makePly({ format, lineEnd }), 'ply');
        assert.partialDeepStrictEqual(model, CUBE);
      });
    }
  }

  it('reads points without a normal or a measured value', async () => {
    const ply = [
      'ply\nformat ascii 1.0\nelement vertex 3',
      ...['x', 'y', 'z', 'nx', 'ny', 'nz', 'scalar'].map((name) => `property float ${name}`),
      'element face 1\nproperty list uchar int vertex_indices\nend_header',
      '0 0 0 0 0 1 nan\n1 0 0 nan nan nan 1\n0 1 0 0 0 1 -inf\n3 0 1 2\n',
    ].join('\n');
    await validateModel(createBufferReader(Buffer.from(ply)));
    const { model, document } = await importFile(Buffer.from(ply), 'ply');
    assert.equal(model.triangles, 1);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    const normals = [...(primitive?.getAttribute('NORMAL')?.getArray() ?? [])];
    assert.ok(normals.length === 9 && normals.every(Number.isFinite), normals.join());
    const broken = Buffer.from(ply.replace('1 0 0 nan', '1 nan 0 nan'));
    await assert.rejects(validateModel(createBufferReader(broken)), /not finite/);
  });

  it('reads the names of textures with spaces', async () => {
    const ply = makePly().toString().replace('comment', 'comment TextureFile a b.png\ncomment');
    const { codes } = await importFile(Buffer.from(ply), 'ply');
    assert.deepEqual(codes, ['units.assumed', 'texture.missing']);
  });

  it('renders points if there are no faces', async () => {
    const { codes, document } = await importFile(makePly({ pointsOnly: true }), 'ply');
    assert.equal(document.getRoot().listMeshes()[0]?.listPrimitives()[0]?.getMode(), 0);
    assert.deepEqual(codes, ['units.assumed', 'points.only']);
  });

  const INVALID: [title: string, change: (text: string) => string][] = [
    ['declares more vertices than it has', (text) => text.replace('vertex 8', 'vertex 80')],
    ['declares more vertices than bytes', (text) => text.replace('vertex 8', 'vertex 4000000000')],
    ['refers to a missing vertex', (text) => text.replace(/4 0 2 3 1\n/, '4 0 2 3 100\n')],
    ['has a list longer than the file', (text) => text.replace(/4 0 2 3 1\n/, '4000000000 0 2\n')],
    ['has a property of an unknown type', (text) => text.replace('float x', 'constructor x')],
  ];
  for (const [title, change] of INVALID) {
    it(`rejects a file that ${title}`, async () => {
      const changed = Buffer.from(change(makePly().toString()));
      await assert.rejects(importFile(changed, 'ply'), { code: 'design.unreadable' });
    });
  }
});
