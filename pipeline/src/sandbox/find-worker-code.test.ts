import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { findWorkerCode } from './find-worker-code.ts';

it('the worker is the built one, unless its source has changed since or it was not built', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const write = async (name: string, time: number) => {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '');
    await utimes(path, time, time);
  };
  const [source, contract] = [join(folder, 'src'), join(folder, 'contract')];
  const find = (extension = '.ts') => findWorkerCode(source, [contract], extension).entry;
  const [built, unbuilt] = [
    join(folder, 'dist/worker/main.js'),
    join(source, 'sandbox/worker/main.ts'),
  ];
  await write('src/sandbox/worker/main.ts', 100);
  await write('contract/problem.ts', 100);
  assert.equal(find(), unbuilt);
  await write('dist/source-hash', 100);
  assert.equal(find(), unbuilt, 'an incomplete build');
  await write('dist/worker/main.js', 50);
  assert.equal(find(), built);
  await write('src/optimize/optimize.test.ts', 200);
  assert.equal(find(), built, 'a test is not part of it');
  await write('src/optimize/optimize.ts', 200);
  assert.equal(find(), unbuilt);
  await write('dist/source-hash', 300);
  assert.equal(find(), built);
  await write('contract/problem.ts', 400);
  assert.equal(find(), unbuilt);
  assert.equal(find('.js'), built, 'npm does not keep the times of a package');
});
