import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { make3mf } from '../../../testing/formats/3mf.ts';
import { makeBrep } from '../../../testing/formats/brep.ts';
import { makeDae } from '../../../testing/formats/dae.ts';
import { makeFbx } from '../../../testing/formats/fbx.ts';
import { makeIfc } from '../../../testing/formats/ifc.ts';
import { makeIges } from '../../../testing/formats/iges.ts';
import { makeObj } from '../../../testing/formats/obj.ts';
import { makePly } from '../../../testing/formats/ply.ts';
import { makeStep } from '../../../testing/formats/step.ts';
import { makeStl } from '../../../testing/formats/stl.ts';
import { gltfFiles, obj, objFiles, soundFiles } from '../../../testing/hostile/sound.ts';
import { type Packed, zip } from '../../../testing/hostile/zip.ts';
import { hostileFiles } from '../../../testing/hostile.ts';
import { describeBox, makeBox } from '../../../testing/models.ts';
import { examine } from './examine.ts';
import { LIMITS } from './limits.ts';
import { blocksOf, bytesSource } from './source.ts';

const read = (bytes: Buffer) => examine(bytesSource(bytes));

describe('examine tells by its bytes', () => {
  for (const { name, bytes, format, main } of soundFiles()) {
    it(`${name}`, async () => {
      const { examined } = await read(bytes);
      assert.deepEqual(examined, { format, ...(main !== undefined && { main }) });
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
      assert.equal((await read(bytes)).examined.format, format);
    });
  }

  it('numbers as old compilers print them', async () => {
    const { examined } = await read(Buffer.from('v 1.0e+002 1e-040 3E38 # nan\nf 1 1 1\n'));
    assert.equal(examined.format, 'obj');
  });

  it('a text that starts with a byte order mark', async () => {
    const { examined } = await read(Buffer.from(`\ufeff${obj()}`));
    assert.equal(examined.format, 'obj');
  });

  it('the model that is least deep in its archive, whatever lies about', async () => {
    const files = [...gltfFiles(), { name: 'old/scene.gltf', bytes: '{' }, ...objFiles()];
    assert.equal((await read(zip(files))).examined.main, 'scene.gltf');
  });
});

describe('examine counts', () => {
  const { json, bin } = describeBox();
  const inText = {
    ...json,
    buffers: [{ byteLength: bin.length, uri: `data:;base64,${bin.toString('base64')}` }],
  };
  const rows: [what: string, bytes: Buffer][] = [
    ['a GLB', makeBox()],
    ['a glTF', Buffer.from(JSON.stringify(inText))],
    ['a zip of a glTF, its buffer beside it', zip(gltfFiles())],
    ['a zip of a GLB', zip([{ name: 'box.glb', bytes: makeBox() }])],
  ];
  for (const [what, bytes] of rows) {
    it(what, async () => {
      const { stats } = await read(bytes);
      assert.deepEqual([stats?.triangles, stats?.bounds?.max], [12, [0.5, 0.5, 0.5]]);
    });
  }
});

describe('examine reads archives as tools write them:', () => {
  const rows: [how: string, files: Packed[]][] = [
    ['stored', gltfFiles().map((file) => ({ ...file, stored: true }))],
    ['from Windows, without modes', gltfFiles().map((file) => ({ ...file, mode: 0 }))],
    ['names not said to be UTF-8', gltfFiles().map((file) => ({ ...file, flags: 0 }))],
    ['a folder around it', gltfFiles().map((file) => ({ ...file, name: `My scene/${file.name}` }))],
  ];
  for (const [how, files] of rows) {
    it(how, async () => assert.equal((await read(zip(files))).stats?.triangles, 12));
  }
});

describe('examine says where, and what would be right:', () => {
  const rows: [why: string, bytes: Buffer | string, detail: RegExp][] = [
    [
      'two models',
      zip([
        { name: 'a.obj', bytes: '' },
        { name: 'b.glb', bytes: '' },
      ]),
      /2 models side by side \("a\.obj", "b\.glb"\); pack one/,
    ],
    [
      'a model that is read alone',
      zip([{ name: 'a.fbx', bytes: '' }]),
      /"a\.fbx", which is read only by itself; upload that file/,
    ],
    [
      'a file that is missing',
      zip(gltfFiles().slice(0, 2)),
      /^images\[0\]\.uri is "textures\/a%20b\.png", which is no file beside the model/,
    ],
    [
      'a corner that is not there',
      'v 0 0 0\nf 1 1 4\n',
      /^Line 2 of the OBJ points at number 4, but the file has 1 vertices\.$/,
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
    it(why, () => assert.rejects(read(Buffer.from(bytes as string)), { message: detail }));
  }

  it('the limits it is given', async () => {
    const file = bytesSource(zip(gltfFiles()));
    const refusal = { code: 'design.too-complex', reason: 'archive-buffers' };
    await assert.rejects(examine(file, { ...LIMITS, archiveBuffers: 1000 }), refusal);
  });
});

describe('examine refuses, or lets pass what only harms the careless:', () => {
  for (const { name, make, ends } of hostileFiles()) {
    it(`${name} (${ends})`, async () => {
      const outcome = await read(make()).catch((error: unknown) => error);
      if (ends === '4xx') assert.ok(outcome instanceof Problem, 'it passed');
      if (!(outcome instanceof Error)) return;
      assert.ok(outcome instanceof Problem, outcome.stack);
      assert.equal(outcome.status, 422);
      // For people: a sentence, without what a stranger could put into it.
      assert.match(outcome.message, /^[^\p{Cc}]{10,700}\.$/u);
    });
  }

  it('at least sixty', () => assert.ok([...hostileFiles()].length >= 60));

  it('and reads none of them past its end, nor more than a block at once', async () => {
    const long = zip([
      { name: 'a.obj', bytes: `${obj()}${'v 0 0 0\n'.repeat(4e5)}`, stored: true },
    ]);
    let longest = 0;
    const file = bytesSource(long);
    await examine({
      size: file.size,
      read(offset, length) {
        longest = Math.max(longest, length);
        return file.read(offset, length);
      },
    });
    const [block = Buffer.alloc(0)] = await Array.fromAsync(blocksOf(file));
    assert.equal(longest, block.length);
  });
});
