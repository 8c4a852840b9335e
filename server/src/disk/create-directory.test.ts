import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { mountTmpfs } from '../../testing/small-disk.ts';
import { createDirectory } from './create-directory.ts';

test('a directory is created with its parents, by several at the same time', async (t) => {
  const parent = await openTemporaryDirectory(t);
  const path = join(parent, 'a/b/c');
  await Promise.all(Array.from({ length: 10 }, () => createDirectory(path)));
  await createDirectory(path);
  for (const created of ['a', 'a/b', 'a/b/c'])
    assert.equal((await stat(join(parent, created))).mode & 0o777, 0o700);
  await symlink(join(parent, 'a'), join(parent, 'link'));
  await createDirectory(join(parent, 'link'));
});

test('what is not a directory is an error', async (t) => {
  const parent = await openTemporaryDirectory(t);
  await writeFile(join(parent, 'file'), '');
  await assert.rejects(createDirectory(join(parent, 'file')), { code: 'EEXIST' });
  await symlink(join(parent, 'missing'), join(parent, 'link'));
  await assert.rejects(createDirectory(join(parent, 'link')), { code: 'EEXIST' });
  await assert.rejects(createDirectory(join(parent, 'file/a')), { code: 'ENOTDIR' });
  await assert.rejects(createDirectory('/proc/cloche/a'), { code: 'ENOENT' });
});

test('the error is that of the file system: read-only, or full', async (t) => {
  const disk = await mountTmpfs(t, { inodes: 1 });
  if (disk === undefined) return;
  for (const path of ['a', 'a/b'])
    await assert.rejects(createDirectory(join(disk, path)), { code: 'ENOSPC' });
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  for (const path of ['a', 'a/b'])
    await assert.rejects(createDirectory(join(disk, path)), { code: 'EROFS' });
});
