import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

test('at level warn, only problems are logged', async (t) => {
  const service = await openTestServer(t, { logLevel: 'warn' });
  await sendRequest(service, 'GET', '/v1/tokens');
  assert.deepEqual(service.logLines, []);
  await connectToServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  await sendRequest(service, 'GET', '/v1/designs');
  assert.deepEqual(
    service.logLines.map((line) => JSON.parse(line).level),
    ['error'],
  );
});

test("Fastify's own messages are logged", async (t) => {
  const service = await openTestServer(t, { listen: true });
  assert.match(service.logLines.join(''), /Server listening at/);
});
