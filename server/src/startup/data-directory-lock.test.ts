import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { acquireDataDirectoryLock } from './data-directory-lock.ts';

const LOCK_MODULE = join(import.meta.dirname, 'data-directory-lock.ts');

/** Acquires the lock in a child process. Returns what it prints. */
function acquireInChildProcess(directory: string, afterwards = ''): string {
  const script = `
    const { acquireDataDirectoryLock } = await import(process.argv[1]);
    try { acquireDataDirectoryLock(process.argv[2]); console.log('acquired'); } catch (error) { console.log(error.message); }
    ${afterwards}`;
  const args = ['--input-type=module', '-e', script, LOCK_MODULE, directory];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
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
