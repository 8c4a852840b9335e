import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openTestServer } from './harness.ts';
import { CREATE_TOKEN_REQUEST, sendRequest } from './requests.ts';
import { connectToServerDatabase } from './test-database.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('nothing keeps the servers of earlier tests in memory', async (t) => {
  const apps: WeakRef<object>[] = [];
  for (const name of ['first', 'second', 'third', 'fourth'])
    await t.test(name, async (t) => {
      const service = await openTestServer(t);
      apps.push(new WeakRef(service.app));
      const { statusCode } = await sendRequest(service, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
      assert.equal(statusCode, 201);
      assert.equal((await connectToServerDatabase(t, service).all('SELECT 1 AS one')).length, 1);
    });
  await setImmediate();
  collectGarbage();
  const kept = apps.filter((app) => app.deref() !== undefined);
  // The runner may still refer to the last one.
  assert.ok(kept.length <= 1, `${kept.length} are kept`);
});
