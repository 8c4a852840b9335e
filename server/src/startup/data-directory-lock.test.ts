import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { acquireDataDirectoryLock } from './data-directory-lock.ts';

const LOCK_MODULE = join(import.meta.dirname, 'data-directory-lock.ts');

/** Claims the folder in a process of its own. */
function acquireInChildProcess(folder: string, afterwards = ''): string {
  const script = `
    const { acquireDataDirectoryLock } = await import(process.argv[1]);
    try { acquireDataDirectoryLock(process.argv[2]); console.log('claimed'); } catch (error) { console.log(error.message); }
    ${afterwards}`;
  const args = ['--input-type=module', '-e', script, LOCK_MODULE, folder];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

test('a data folder belongs to one process, until it ends in whatever way', async (t) => {
  const folder = await openTemporaryDirectory(t);
  {
    using _claim = acquireDataDirectoryLock(folder);
    assert.match(acquireInChildProcess(folder), /another Cloche is running there/);
  }
  assert.match(acquireInChildProcess(folder, "process.kill(process.pid, 'SIGKILL')"), /claimed/);
  assert.match(acquireInChildProcess(folder), /claimed/);
});
