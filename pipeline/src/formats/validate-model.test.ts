import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { make3mf } from '../../testing/formats/3mf.ts';
import { makeBrep } from '../../testing/formats/brep.ts';
import { makeDae } from '../../testing/formats/dae.ts';
import { makeFbx } from '../../testing/formats/fbx.ts';
import { makeIfc } from '../../testing/formats/ifc.ts';
import { makeIges } from '../../testing/formats/iges.ts';
import { makeObj } from '../../testing/formats/obj.ts';
import { makePly } from '../../testing/formats/ply.ts';
import { makeRawZip, type ZipEntryInput } from '../../testing/formats/raw-zip.ts';
import { makeStep } from '../../testing/formats/step.ts';
import { makeStl } from '../../testing/formats/stl.ts';
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

describe('examine tells by its bytes', () => {
  for (const { name, bytes, format, main } of listValidFiles()) {
    it(`${name}`, async () => {
      const { detectedFormat } = await validateBytes(bytes);
      assert.deepEqual(detectedFormat, { format, ...(main !== undefined && { modelPath: main }) });
    });
  }

  const made = {
    '3mf': make3mf(),
    brep: makeBrep(),
    dae: makeDae(),
    fbx: makeFbx(),
    ifc: makeIfc(),
    iges: makeIges(),
    obj: makeObj(),
    ply: makePly(),
    step: makeStep(),
    stl: makeStl(),
  };
  for (const [format, bytes] of Object.entries(made)) {
    it(`the ${format} that its reader is tried with`, async () => {
      assert.equal((await validateBytes(bytes)).detectedFormat.format, format);
    });
  }

  it('numbers as old compilers print them', async () => {
    const { detectedFormat } = await validateBytes(
      Buffer.from('v 1.0e+002 1e-040 3E38 # nan\nf 1 1 1\n'),
    );
    assert.equal(detectedFormat.format, 'obj');
  });

  it('a text that starts with a byte order mark', async () => {
    const { detectedFormat } = await validateBytes(Buffer.from(`\ufeff${makeMinimalObj()}`));
    assert.equal(detectedFormat.format, 'obj');
  });

  it('the model that is least deep in its archive, whatever lies about', async () => {
    const files = [
      ...makeGltfZipEntries(),
      { name: 'old/scene.gltf', bytes: '{' },
      ...makeObjZipEntries(),
    ];
    assert.equal((await validateBytes(makeRawZip(files))).detectedFormat.modelPath, 'scene.gltf');
  });
});

describe('examine counts', () => {
  const { json, bin } = makeUnpackedBox();
  const inText = {
    ...json,
    buffers: [{ byteLength: bin.length, uri: `data:;base64,${bin.toString('base64')}` }],
  };
  const rows: [what: string, bytes: Buffer][] = [
    ['a GLB', makeBox()],
    ['a glTF', Buffer.from(JSON.stringify(inText))],
    ['a zip of a glTF, its buffer beside it', makeRawZip(makeGltfZipEntries())],
    ['a zip of a GLB', makeRawZip([{ name: 'box.glb', bytes: makeBox() }])],
  ];
  for (const [what, bytes] of rows) {
    it(what, async () => {
      const { stats } = await validateBytes(bytes);
      assert.deepEqual([stats?.triangles, stats?.bounds?.max], [12, [0.5, 0.5, 0.5]]);
    });
  }
});

describe('examine reads archives as tools write them:', () => {
  const rows: [how: string, files: ZipEntryInput[]][] = [
    ['stored', makeGltfZipEntries().map((file) => ({ ...file, stored: true }))],
    ['from Windows, without modes', makeGltfZipEntries().map((file) => ({ ...file, mode: 0 }))],
    ['names not said to be UTF-8', makeGltfZipEntries().map((file) => ({ ...file, flags: 0 }))],
    [
      'a folder around it',
      makeGltfZipEntries().map((file) => ({ ...file, name: `My scene/${file.name}` })),
    ],
  ];
  for (const [how, files] of rows) {
    it(how, async () =>
      assert.equal((await validateBytes(makeRawZip(files))).stats?.triangles, 12),
    );
  }
});

describe('examine says where, and what would be right:', () => {
  const rows: [why: string, bytes: Buffer | string, detail: RegExp][] = [
    [
      'two models',
      makeRawZip([
        { name: 'a.obj', bytes: '' },
        { name: 'b.glb', bytes: '' },
      ]),
      /2 models side by side \("a\.obj", "b\.glb"\); pack one/,
    ],
    [
      'a model that is read alone',
      makeRawZip([{ name: 'a.fbx', bytes: '' }]),
      /"a\.fbx", which is read only by itself; upload that file/,
    ],
    [
      'a file that is missing',
      makeRawZip(makeGltfZipEntries().slice(0, 2)),
      /^images\[0\]\.uri is "textures\/a%20b\.png", which is no file beside the model/,
    ],
    [
      'a corner that is not there',
      'v 0 0 0\nf 1 1 4\n',
      /^Line 2 of the OBJ refers to number 4, but the file has 1 vertices\.$/,
    ],
    [
      'a program of another kind',
      'BLENDER-v300',
      /^This looks like a Blender file; export it as glTF\. Cloche reads GLB, glTF, OBJ/,
    ],
    [
      'an infinite recursion',
      'ISO-10303-21;#1=A((((((((((((((((((',
      /at least 17 levels of parentheses; at most 16 are allowed \(counted up to statement 2\)/,
    ],
  ];
  for (const [why, bytes, detail] of rows) {
    it(why, () => assert.rejects(validateBytes(Buffer.from(bytes as string)), { message: detail }));
  }

  it('the limits it is given', async () => {
    const file = createBufferReader(makeRawZip(makeGltfZipEntries()));
    const refusal = { code: 'design.too-complex', reason: 'archive-buffers' };
    await assert.rejects(
      validateModel(file, { ...VALIDATION_LIMITS, archiveBuffers: 1000 }),
      refusal,
    );
  });
});

describe('examine refuses, or lets pass what only harms the careless:', () => {
  for (const { name, make, expectedOutcome } of generateHostileFiles()) {
    it(`${name} (${expectedOutcome})`, async () => {
      const outcome = await validateBytes(make()).catch((error: unknown) => error);
      if (expectedOutcome === '4xx') assert.ok(outcome instanceof Problem, 'it passed');
      if (!(outcome instanceof Error)) return;
      assert.ok(outcome instanceof Problem, outcome.stack);
      assert.equal(outcome.status, 422);
      // For people: a sentence, without what a stranger could put into it.
      assert.match(outcome.message, /^[^\p{Cc}]{10,700}\.$/u);
    });
  }

  it('at least sixty', () => assert.ok([...generateHostileFiles()].length >= 60));

  it('and reads none of them past its end, nor more than a block at once', async () => {
    const long = makeRawZip([
      { name: 'a.obj', bytes: `${makeMinimalObj()}${'v 0 0 0\n'.repeat(4e5)}`, stored: true },
    ]);
    let longest = 0;
    const file = createBufferReader(long);
    await validateModel({
      size: file.size,
      read(offset, length) {
        longest = Math.max(longest, length);
        return file.read(offset, length);
      },
    });
    const [block = Buffer.alloc(0)] = await Array.fromAsync(readBlocks(file));
    assert.equal(longest, block.length);
  });
});
