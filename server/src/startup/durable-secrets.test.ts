import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { PowerFailureSimulator } from '../../testing/power-failure.ts';
import { deliverToken } from './bootstrap-token.ts';
import { loadOrCreateGrantKey } from './grant-key.ts';

const secrets: [name: string, write: (path: string) => Promise<unknown>][] = [
  ['the grant key', loadOrCreateGrantKey],
  ['the bootstrap token', (path) => deliverToken('the token', path)],
];

for (const [name, write] of secrets) {
  for (const survivingNames of ['synced', 'current'] as const) {
    test(`${name} survives a power failure, after which the ${survivingNames} names survive`, async (t) => {
      const directory = await openTemporaryDirectory(t);
      const simulator = await PowerFailureSimulator.start(t, directory);
      await write(join(directory, 'secret'));
      const target = await openTemporaryDirectory(t);
      simulator.restore(target, survivingNames);
      const [survived, written] = [target, directory].map((path) => readFile(join(path, 'secret')));
      assert.deepEqual(await survived, await written);
    });
  }
}
