import assert from 'node:assert/strict';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { ensureDataDirectory, restrictPermissions } from './data-directory.ts';

const readMode = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

test('a data directory that cannot be created is a ConfigError', async (t) => {
  const file = join(await openTemporaryDirectory(t), 'file');
  await writeFile(file, '');
  for (const directory of [file, join(file, 'child'), '/proc/cloche', '/proc/cloche/a/b']) {
    const expected = { name: 'ConfigError', message: /^CLOCHE_DATA is .* cannot be created/ };
    await assert.rejects(ensureDataDirectory(directory), expected, directory);
  }
});

test('a data directory is created with its parents, for its owner only', async (t) => {
  const parent = join(await openTemporaryDirectory(t), 'a');
  await ensureDataDirectory(join(parent, 'b/c'));
  await ensureDataDirectory(join(parent, 'b/c'));
  for (const path of ['', 'b', 'b/c']) assert.equal(await readMode(join(parent, path)), '700');
});

test('group and others lose their permissions for everything in an existing directory', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const outside = join(await openTemporaryDirectory(t), 'file');
  await mkdir(join(directory, 'blobs/ab'), { recursive: true });
  const rows: [path: string, before: number, after: string][] = [
    ['blobs/ab/file', 0o644, '600'],
    ['blobs/ab', 0o2775, '2700'],
    ['blobs', 0o755, '700'],
    ['cloche.sqlite', 0o666, '600'],
    ['cloche.sqlite-wal', 0o604, '600'],
    ['grant.key', 0o400, '400'],
    ['.', 0o777, '700'],
  ];
  for (const [path, mode] of rows) {
    if (!/blobs$|ab$|\.$/.test(path)) await writeFile(join(directory, path), '');
    await chmod(join(directory, path), mode);
  }
  await writeFile(outside, '');
  await chmod(outside, 0o644);
  await symlink(outside, join(directory, 'link'));

  assert.deepEqual(await restrictPermissions(directory), []);
  for (const [path, , after] of rows) assert.equal(await readMode(join(directory, path)), after);
  assert.equal(await readMode(outside), '644', 'the target of a link is not changed');
});
