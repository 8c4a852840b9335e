import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { ConfigError } from '../config.ts';
import { identifyFiles, joinNodes } from './join-nodes.ts';

const { openNodes } = usePostgresNodes();

test('of two nodes with different files that start at the same time, one does', async (t) => {
  const databases = await openNodes(t, 2);
  const log = { warn: () => {} };
  for (let round = 0; round < 10; round += 1) {
    const results = await Promise.allSettled(
      databases.map((database, index) => {
        const node = {
          id: `n${index}`,
          role: 'all',
          version: '1.0.0',
          files: `f${index}`,
        } as const;
        return joinNodes(database, node, log);
      }),
    );
    const joined = results.filter((result) => result.status === 'fulfilled');
    await Promise.all(joined.map(({ value }) => value[Symbol.asyncDispose]()));
    const errors = results.filter((result) => result.status === 'rejected');
    assert.equal(joined.length, 1);
    assert.ok(errors[0]?.reason instanceof ConfigError);
  }
});

/** Lets each hard link fail, as on exFAT. */
function removeHardLinks(t: TestContext): void {
  const { mock } = t.mock.method(fs, 'link', async () => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  });
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
}

test('the id of a folder that another node is copying is read when it is complete', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const path = join(folder, 'folder-id');
  await fs.writeFile(path, '');
  const reading = identifyFiles(folder, undefined);
  const id = randomUUID();
  setTimeout(() => void fs.writeFile(path, id), 150);
  assert.equal(await reading, id);
});

test('a damaged id of a folder is an error that names the file', async (t) => {
  const folder = await openTemporaryDirectory(t);
  await fs.writeFile(join(folder, 'folder-id'), 'x');
  await assert.rejects(identifyFiles(folder, undefined), /folder-id" is damaged\. Stop all nodes/);
});

for (const [name, prepare] of [
  ['with hard links', () => {}],
  ['without hard links', removeHardLinks],
] as const) {
  test(`a folder keeps its id, ${name}`, async (t) => {
    prepare(t);
    const folder = await openTemporaryDirectory(t);
    const ids = [];
    for (let index = 0; index < 3; index += 1) ids.push(await identifyFiles(folder, undefined));
    assert.equal(new Set(ids).size, 1);
    assert.match(ids[0] ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(await fs.readdir(folder), ['folder-id']);
  });
}
