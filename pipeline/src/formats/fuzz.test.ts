import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { makeBinaryFbxScene } from '../../testing/formats/binary-fbx.ts';
import { makeRawZip } from '../../testing/formats/raw-zip.ts';
import { SAMPLE_FILES } from '../../testing/formats/sample-files.ts';
import { mutate, readFuzzRuns, readFuzzSeed, SeededRandom } from '../../testing/fuzz.ts';
import { makeGltfZipEntries } from '../../testing/hostile/valid-files.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import { type ImportFormat, listFormats } from './registry.ts';
import { validateModel } from './validate-model.ts';

const ACCEPTED_CODES = ['design.unreadable', 'design.unsupported', 'design.too-complex'];
/** Their import is our own code, and has no library that runs in the sandbox only. */
const IMPORTED_FORMATS = ['obj', 'stl', 'ply', 'off'];

/** One valid file of each format, a binary FBX, and an archive. */
const CORPUS: [format: string, file: Buffer][] = [
  ...Object.entries(SAMPLE_FILES).map(([format, make]): [string, Buffer] => [format, make()]),
  ['binary fbx', makeBinaryFbxScene([2], [[2, 0]])],
  ['zip', makeRawZip(makeGltfZipEntries(() => {}))],
];
const FILES = CORPUS.map(([, file]) => file);

const seed = readFuzzSeed();
const runs = readFuzzRuns(0.75);

for (const [index, [format, file]] of CORPUS.entries()) {
  test(`changed ${format} files are valid or refused with a reason`, async (t) => {
    t.diagnostic(`CLOCHE_FUZZ_SEED=${seed}`);
    const importFormat = await findImport(format);
    let valid = 0;
    for (let run = index; run < runs; run += CORPUS.length) {
      const bytes = mutate(file, new SeededRandom(seed + run), FILES);
      const name = `${format}, CLOCHE_FUZZ_SEED=${seed}, run ${run}, ${bytes.toString('base64', 0, 3000)}`;
      if (!(await accepts(() => validateModel(createBufferReader(bytes)), name))) continue;
      valid += 1;
      if (importFormat !== undefined) await accepts(async () => importFormat(bytes), name);
    }
    t.diagnostic(`${valid} changed files are valid`);
  });
}

async function findImport(format: string): Promise<ImportFormat | undefined> {
  const definition = listFormats().find(([name]) => name === format)?.[1];
  return IMPORTED_FORMATS.includes(format) ? definition?.load() : undefined;
}

/** Returns whether a file is accepted. Asserts that a refused file has a reason. */
async function accepts(read: () => Promise<unknown>, name: string): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    assert.ok(error instanceof Problem, `${name}: ${(error as Error).stack}`);
    assert.ok(ACCEPTED_CODES.includes(error.code), `${name}: ${error.code}`);
    assert.ok(error.message.length > 10, `${name}: "${error.message}" says nothing`);
    return false;
  }
}
