import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { acquireDataDirectoryLock } from './data-directory-lock.ts';

const LOCK_MODULE = join(import.meta.dirname, 'data-directory-lock.ts');

/** Acquires the lock in a child process. Returns what it prints. */
function acquireInChildProcess(directory: string, afterwards = '', user = {}): string {
  const script = `
    const { acquireDataDirectoryLock } = await import(process.argv[1]);
    try { acquireDataDirectoryLock(process.argv[2]); console.log('acquired'); } catch (error) { console.log(error.message); }
    ${afterwards}`;
  const args = ['--input-type=module', '-e', script, LOCK_MODULE, directory];
  return spawnSync(process.execPath, args, { encoding: 'utf8', ...user }).stdout;
}

test('only one process has the lock, until it ends or is killed', async (t) => {
  const directory = await openTemporaryDirectory(t);
  {
    using _lock = acquireDataDirectoryLock(directory);
    assert.match(acquireInChildProcess(directory), /another Cloche process is using/);
  }
  assert.match(
    acquireInChildProcess(directory, "process.kill(process.pid, 'SIGKILL')"),
    /acquired/,
  );
  assert.match(acquireInChildProcess(directory), /acquired/);
});

test('a lock file that cannot be written to is refused: its lock would exclude no one', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const file = join(directory, 'lock.sqlite');
  await writeFile(file, '');
  await chmod(file, 0o444);
  const isRoot = process.geteuid?.() === 0;
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  // Root can write to any file, so another user acquires the lock, of a file that root has created.
  if (isRoot) await chown(directory, 65534, 65534);
  for (const _process of ['first', 'second']) {
    const printed = acquireInChildProcess(directory, '', user);
    assert.match(printed, /whose file "lock.sqlite" this user cannot write to/);
  }
});
