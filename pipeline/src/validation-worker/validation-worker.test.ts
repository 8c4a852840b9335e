import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { makeBox, makeGlb } from '../../testing/models.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { openValidationWorker } from './validation-worker.ts';

describe('a validation worker', () => {
  it('returns the result of validateModel', async (t) => {
    await using worker = openValidationWorker();
    const { detectedFormat, stats } = await worker.validate(await writeTemporaryFile(t, makeBox()));
    assert.deepEqual([detectedFormat.format, stats?.triangles], ['glb', 12]);
  });

  it('passes on the code, the reason and the message of a problem', async (t) => {
    await using worker = openValidationWorker();
    const png = await writeTemporaryFile(t, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    await assert.rejects(worker.validate(png), (error) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual([error.code, error.reason], ['design.unsupported', 'png']);
      assert.match(error.message, /^This looks like a PNG image/);
      return true;
    });
  });

  it('validates files one after the other', async (t) => {
    await using worker = openValidationWorker();
    const paths = [
      await writeTemporaryFile(t, makeBox()),
      await writeTemporaryFile(t, Buffer.from('?')),
      await writeTemporaryFile(t, makeBox()),
    ];
    const outcomes = await Promise.allSettled(paths.map((path) => worker.validate(path)));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('refuses a file that takes too much memory, then validates the next one', async (t) => {
    await using worker = openValidationWorker({ heapMb: 24 });
    const manyValues = makeGlb({
      json: `{"asset":{"version":"2.0"},"extras":[${'{},'.repeat(9e5)}0]}`,
    });
    const problem = { code: 'design.too-complex', reason: 'memory' };
    await assert.rejects(worker.validate(await writeTemporaryFile(t, manyValues)), problem);
    assert.ok((await worker.validate(await writeTemporaryFile(t, makeBox()))).stats);
  });

  it('refuses a file that takes too much time', async (t) => {
    await using worker = openValidationWorker({ timeoutMs: 1 });
    const problem = { code: 'design.too-complex', reason: 'time' };
    await assert.rejects(worker.validate(await writeTemporaryFile(t, makeBox())), problem);
  });

  it('throws server.failed if the file does not exist', async () => {
    await using worker = openValidationWorker();
    await assert.rejects(worker.validate('/does/not/exist'), { code: 'server.failed' });
  });

  it('refuses the current and all further files when it is closed', async (t) => {
    const worker = openValidationWorker();
    const path = await writeTemporaryFile(t, makeBox());
    const rejection = assert.rejects(worker.validate(path), { code: 'server.unavailable' });
    await worker[Symbol.asyncDispose]();
    await rejection;
    await assert.rejects(worker.validate(path), { code: 'server.unavailable' });
  });

  it('does not keep the process alive', async (t) => {
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
  const path = join(await openTemporaryDirectory(t), 'source');
  await writeFile(path, bytes);
  return path;
}
