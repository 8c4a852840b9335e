import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolder } from '../testing/ground.ts';
import { claimFolder } from './alone.ts';

const ALONE = join(import.meta.dirname, 'alone.ts');

/** Claims the folder in a process of its own. */
function claimElsewhere(folder: string, afterwards = ''): string {
  const script = `
    const { claimFolder } = await import(process.argv[1]);
    try { claimFolder(process.argv[2]); console.log('claimed'); } catch (error) { console.log(error.message); }
    ${afterwards}`;
  const args = ['--input-type=module', '-e', script, ALONE, folder];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

test('a data folder belongs to one process, until it ends in whatever way', async (t) => {
  const folder = await openFolder(t);
  {
    using _claim = claimFolder(folder);
    assert.match(claimElsewhere(folder), /another Cloche is running there/);
  }
  assert.match(claimElsewhere(folder, "process.kill(process.pid, 'SIGKILL')"), /claimed/);
  assert.match(claimElsewhere(folder), /claimed/);
});
