import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { makeRawZip, type ZipEntryInput } from '../../testing/formats/raw-zip.ts';
import {
  listValidFiles,
  makeGltfZipEntries,
  makeMinimalObj,
  makeObjZipEntries,
} from '../../testing/hostile/valid-files.ts';
import { generateHostileFiles } from '../../testing/hostile-files.ts';
import { makeBox, makeUnpackedBox } from '../../testing/models.ts';
import { createBufferReader, readBlocks } from '../validation/byte-reader.ts';
import { VALIDATION_LIMITS } from '../validation/limits.ts';
import { validateModel } from './validate-model.ts';

const validateBytes = (bytes: Buffer) => validateModel(createBufferReader(bytes));

describe('validateModel detects', () => {
  for (const { name, bytes, format, modelPath } of listValidFiles()) {
    it(`${name}`, async () => {
      const { detectedFormat } = await validateBytes(bytes);
      assert.deepEqual(detectedFormat, { format, ...(modelPath !== undefined && { modelPath }) });
    });
  }

  it('an OBJ with exponents of three digits', async () => {
    const { detectedFormat } = await validateBytes(
      Buffer.from('v 1.0e+002 1e-040 3E38 # nan\nf 1 1 1\n'),
    );
    assert.equal(detectedFormat.format, 'obj');
  });

  it('a text with a byte order mark', async () => {
    const { detectedFormat } = await validateBytes(Buffer.from(`\ufeff${makeMinimalObj()}`));
    assert.equal(detectedFormat.format, 'obj');
  });

  it('the model at the lowest depth of an archive', async () => {
    const files = [
      ...makeGltfZipEntries(),
      { name: 'old/scene.gltf', bytes: '{' },
      ...makeObjZipEntries(),
    ];
    assert.equal((await validateBytes(makeRawZip(files))).detectedFormat.modelPath, 'scene.gltf');
  });
});

describe('validateModel counts', () => {
  const { json, bin } = makeUnpackedBox();
  const gltfWithDataUri = {
    ...json,
    buffers: [{ byteLength: bin.length, uri: `data:;base64,${bin.toString('base64')}` }],
  };
  const rows: [what: string, bytes: Buffer][] = [
    ['a GLB', makeBox()],
    ['a glTF', Buffer.from(JSON.stringify(gltfWithDataUri))],
    ['a zip of a glTF with an external buffer', makeRawZip(makeGltfZipEntries())],
    ['a zip of a GLB', makeRawZip([{ name: 'box.glb', bytes: makeBox() }])],
  ];
  for (const [what, bytes] of rows) {
    it(what, async () => {
      const { stats } = await validateBytes(bytes);
      assert.deepEqual([stats?.triangles, stats?.bounds?.max], [12, [0.5, 0.5, 0.5]]);
    });
  }
});

describe('validateModel accepts archives', () => {
  const rows: [how: string, files: ZipEntryInput[]][] = [
    ['without compression', makeGltfZipEntries().map((file) => ({ ...file, stored: true }))],
    [
      'from Windows, without Unix modes',
      makeGltfZipEntries().map((file) => ({ ...file, unixMode: 0 })),
    ],
    [
      'with names that are not declared as UTF-8',
      makeGltfZipEntries().map((file) => ({ ...file, flags: 0 })),
    ],
    [
      'with backslashes, as old versions of .NET write',
      makeGltfZipEntries().map((file) => ({
        ...file,
        name: `scene\\${file.name.toString().replaceAll('/', '\\')}`,
      })),
    ],
    [
      'with a folder around the files',
      makeGltfZipEntries().map((file) => ({ ...file, name: `My scene/${file.name}` })),
    ],
  ];
  for (const [how, files] of rows) {
    it(how, async () =>
      assert.equal((await validateBytes(makeRawZip(files))).stats?.triangles, 12),
    );
  }
});

describe('validateModel explains', () => {
  const rows: [subject: string, bytes: Buffer | string, detail: RegExp][] = [
    [
      'two models',
      makeRawZip([
        { name: 'a.obj', bytes: '' },
        { name: 'b.glb', bytes: '' },
      ]),
      /2 models at the same depth \("a\.obj", "b\.glb"\); pack one/,
    ],
    [
      'a model that cannot be read from an archive',
      makeRawZip([{ name: 'a.fbx', bytes: '' }]),
      /"a\.fbx", which must be uploaded without an archive/,
    ],
    [
      'a missing file',
      makeRawZip(makeGltfZipEntries().filter(({ name }) => name !== 'scene.bin')),
      /^The glTF needs the file "scene\.bin", which is not in the archive/,
    ],
    [
      'an index without a vertex',
      'v 0 0 0\nf 1 1 4\n',
      /^Line 2 of the OBJ refers to number 4, but the file has 1 vertices\.$/,
    ],
    [
      'another format',
      'BLENDER-v300',
      /^This looks like a Blender file; export it as glTF\. Cloche supports GLB, glTF, OBJ/,
    ],
    [
      'no known format',
      '\u0001\u0002',
      /^The format of this file is unknown\. Cloche supports GLB, glTF, OBJ/,
    ],
    [
      'deep nesting',
      'ISO-10303-21;#1=A((((((((((((((((((',
      /at least 17 levels of parentheses; at most 16 are allowed \(counted up to statement 2\)/,
    ],
  ];
  for (const [subject, bytes, detail] of rows) {
    it(subject, () =>
      assert.rejects(validateBytes(Buffer.from(bytes as string)), { message: detail }),
    );
  }

  it('the limits that it is given', async () => {
    const file = createBufferReader(makeRawZip(makeGltfZipEntries()));
    const problem = { code: 'design.too-complex', reason: 'archive-buffers' };
    await assert.rejects(
      validateModel(file, { ...VALIDATION_LIMITS, archiveBuffers: 1000 }),
      problem,
    );
  });
});

describe('validateModel accepts or refuses, with a readable message:', () => {
  for (const { name, make, expectedOutcome } of generateHostileFiles()) {
    it(`${name} (${expectedOutcome})`, async () => {
      const outcome = await validateBytes(make()).catch((error: unknown) => error);
      if (expectedOutcome === '4xx') assert.ok(outcome instanceof Problem, 'it was accepted');
      if (!(outcome instanceof Error)) return;
      assert.ok(outcome instanceof Problem, outcome.stack);
      assert.equal(outcome.status, 422);
      // A sentence without control characters from the file.
      assert.match(outcome.message, /^[^\p{Cc}]{10,700}\.$/u);
    });
  }

  it('at least 60 files', () => assert.ok([...generateHostileFiles()].length >= 60));

  it('and reads at most one block at a time', async () => {
    const archive = makeRawZip([
      { name: 'a.obj', bytes: `${makeMinimalObj()}${'v 0 0 0\n'.repeat(4e5)}`, stored: true },
    ]);
    let maxLength = 0;
    const file = createBufferReader(archive);
    await validateModel({
      size: file.size,
      read(offset, length) {
        maxLength = Math.max(maxLength, length);
        return file.read(offset, length);
      },
    });
    const [block = Buffer.alloc(0)] = await Array.fromAsync(readBlocks(file));
    assert.equal(maxLength, block.length);
  });
});
