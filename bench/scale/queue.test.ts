import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type PostgresServer, startPostgresServer } from '../../server/testing/postgres-server.ts';
import { createPostgresDatabase, createTemplate } from '../../server/testing/test-database.ts';
import { measureQueue } from './queue.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
  await createTemplate(server.url);
});
after(() => server[Symbol.asyncDispose]());

test('processes of the queue are killed: each job is completed once, and none runs twice at the same time', async () => {
  const url = await createPostgresDatabase(server.url);
  const result = await measureQueue({ url, jobs: 300, kills: 3, jobMs: 20 });
  const { lost, completedTwice, concurrent, left, interrupted } = result;
  const expected = { lost: 0, completedTwice: 0, concurrent: 0, left: 0 };
  assert.deepEqual({ lost, completedTwice, concurrent, left }, expected);
  assert.ok(interrupted > 0, 'no kill has interrupted a job');
});
