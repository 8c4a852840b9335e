import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import type { Database } from '../database/database.ts';
import { ConfigError } from '../environment.ts';
import { HEARTBEAT_INTERVAL_MS } from '../nodes/node.ts';
import { identifyFiles, joinNodes } from './join-nodes.ts';

/** Only errors name it. */
const DATABASE_URL = 'postgres://db.example/cloche';

const { openNodes } = usePostgresNodes();

test('of two nodes with different files that start at the same time, one does', async (t) => {
  const databases = await openNodes(t, 2);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  for (let round = 0; round < 10; round += 1) {
    const results = await Promise.allSettled(
      databases.map((database, index) => {
        const node = {
          id: `n${index}`,
          role: 'all',
          version: '1.0.0',
          files: `f${index}`,
        } as const;
        return joinNodes(database, node, { url: DATABASE_URL, log });
      }),
    );
    const joined = results.filter((result) => result.status === 'fulfilled');
    await Promise.all(joined.map(({ value }) => value[Symbol.asyncDispose]()));
    const errors = results.filter((result) => result.status === 'rejected');
    assert.equal(joined.length, 1);
    assert.ok(errors[0]?.reason instanceof ConfigError);
  }
});

test('without a lock, a node stops when another process has joined with its id', async (t) => {
  const [first, second] = (await openNodes(t, 2)) as [Database, Database];
  const node = { id: 'same', role: 'all', version: '1.0.0', files: 'f' } as const;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const stopped = Promise.withResolvers<void>();
  const joined = await joinNodes(first, node, {
    url: DATABASE_URL,
    log,
    unlocked: { stop: stopped.resolve },
  });
  // The other one has waited while this one was paused.
  await using _other = await joinNodes(second, node, { url: DATABASE_URL, log });
  await stopped.promise;
  await joined[Symbol.asyncDispose]();
  const rows = await second.selectFrom('node').select('id').execute();
  assert.deepEqual(rows, [{ id: 'same' }]);
});

test('a node logs when its clock begins to differ from that of the database, and when it ceases to', async (t) => {
  const [database] = await openNodes(t, 1);
  const node = { id: 'clock', role: 'all', version: '1.0.0', files: 'f' } as const;
  const messages: string[] = [];
  const add = (_: unknown, message?: string) => void messages.push(message ?? String(_));
  const log = { info: add, warn: add, error: add };
  const readNow = Date.now.bind(Date);
  let aheadMs = 60_000;
  t.mock.method(Date, 'now', () => readNow() + aheadMs);
  t.mock.timers.enable({ apis: ['setInterval'] });
  await using joined = await joinNodes(database, node, { url: DATABASE_URL, log });
  /** Lets the node report that it runs. */
  const report = async () => {
    const findSeenAt = async () => (await joined.listNodes())[0]?.seenAt.getTime() ?? 0;
    const before = await findSeenAt();
    await waitUntil('the report', async () => {
      // No effect while it reports.
      t.mock.timers.tick(HEARTBEAT_INTERVAL_MS);
      return (await findSeenAt()) > before;
    });
  };
  assert.equal(messages.length, 1);
  assert.match(messages[0] ?? '', /clocks of this machine and of the database differ/);
  await report();
  assert.equal(messages.length, 1);
  aheadMs = 0;
  // The first one may have begun before.
  await report();
  await report();
  assert.equal(messages.length, 2);
  assert.match(messages[1] ?? '', /agree again/);
  aheadMs = -60_000;
  await report();
  await report();
  assert.equal(messages.length, 3);
  assert.match(messages[2] ?? '', /differ/);
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
