import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { makeBox, makeGlb } from '../../testing/models.ts';
import { openValidationWorker } from './validation-worker.ts';

describe('an examiner', () => {
  it('tells what examine tells', async (t) => {
    await using examiner = openValidationWorker();
    const { detectedFormat, stats } = await examiner.validate(
      await writeTemporaryFile(t, makeBox()),
    );
    assert.deepEqual([detectedFormat.format, stats?.triangles], ['glb', 12]);
  });

  it('passes problems on, whole', async (t) => {
    await using examiner = openValidationWorker();
    const png = await writeTemporaryFile(t, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    await assert.rejects(examiner.validate(png), (error) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual([error.code, error.reason], ['design.unsupported', 'png']);
      assert.match(error.message, /^This looks like a PNG image/);
      return true;
    });
  });

  it('takes files one after the other', async (t) => {
    await using examiner = openValidationWorker();
    const paths = [
      await writeTemporaryFile(t, makeBox()),
      await writeTemporaryFile(t, Buffer.from('?')),
      await writeTemporaryFile(t, makeBox()),
    ];
    const ends = await Promise.allSettled(paths.map((path) => examiner.validate(path)));
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('refuses what takes its memory, and starts again', async (t) => {
    await using examiner = openValidationWorker({ heapMb: 24 });
    const values = makeGlb({
      json: `{"asset":{"version":"2.0"},"extras":[${'{},'.repeat(9e5)}0]}`,
    });
    const refusal = { code: 'design.too-complex', reason: 'memory' };
    await assert.rejects(examiner.validate(await writeTemporaryFile(t, values)), refusal);
    assert.ok((await examiner.validate(await writeTemporaryFile(t, makeBox()))).stats);
  });

  it('refuses what takes its time', async (t) => {
    await using examiner = openValidationWorker({ timeoutMs: 1 });
    const refusal = { code: 'design.too-complex', reason: 'time' };
    await assert.rejects(examiner.validate(await writeTemporaryFile(t, makeBox())), refusal);
  });

  it('says that it is our fault when the file is not there', async () => {
    await using examiner = openValidationWorker();
    await assert.rejects(examiner.validate('/nowhere/at/all'), { code: 'server.failed' });
  });

  it('ends while at work, and takes no more', async (t) => {
    const examiner = openValidationWorker();
    const path = await writeTemporaryFile(t, makeBox());
    const refused = assert.rejects(examiner.validate(path), { code: 'server.unavailable' });
    await examiner[Symbol.asyncDispose]();
    await refused;
    await assert.rejects(examiner.validate(path), { code: 'server.unavailable' });
  });

  it('does not hold the process', async (t) => {
    const path = await writeTemporaryFile(t, makeBox());
    const module = JSON.stringify(join(import.meta.dirname, 'validation-worker.ts'));
    const script = `import { openValidationWorker } from ${module};
      const { detectedFormat } = await openValidationWorker().validate(${JSON.stringify(path)});
      console.log(detectedFormat.format);`;
    const { stdout, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { timeout: 30_000, encoding: 'utf8' },
    );
    assert.deepEqual([stdout, status], ['glb\n', 0]);
  });
});

async function writeTemporaryFile(t: TestContext, bytes: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'examiner-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'in'), bytes);
  return join(folder, 'in');
}
