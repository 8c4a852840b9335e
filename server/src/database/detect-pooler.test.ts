import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { USES_POOLER } from '../../testing/postgres-run.ts';
import { isBehindPooler } from './detect-pooler.ts';

const postgres = usePostgresNodes();

test('a pooler is found if there is one; the nodes of this run are behind one if its other tests are', async () => {
  assert.equal(await isBehindPooler(postgres.server.url), false);
  const { url, isPooled } = await postgres.createDatabase();
  assert.equal(isPooled, USES_POOLER);
  assert.equal(await isBehindPooler(url), USES_POOLER);
});
