import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems } from '@cloche/contract/problem';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

test('500: the response has the request id under which the error is logged', async (t) => {
  const service = await openTestServer(t);
  await connectToServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  const response = await sendRequest(service, 'GET', '/v1/designs');
  assert.equal(response.statusCode, 500);
  assert.deepEqual(response.json(), {
    type: '/docs/problems#server.failed',
    status: 500,
    code: 'server.failed',
    title: problems['server.failed'].title,
    detail:
      'An internal error occurred. The log has the details under the id in the X-Request-Id header of this response.',
  });
  const entries = service.logLines.map((line) => JSON.parse(line));
  const entry = entries.find(({ level }) => level === 'error');
  assert.equal(entry.reqId, response.headers['x-request-id']);
  assert.match(entry.err.message, /no such table|does not exist/);
  assert.match(entry.err.stack, /design-store\.ts/);
});

test('a token string in the wrong place is not repeated in the error', async (t) => {
  const service = await openTestServer(t);
  const { token } = service;
  const responses = [
    await sendRequest(service, 'GET', `/v1/designs/${token}`),
    await sendRequest(service, 'POST', '/v1/tokens', { capabilities: [token], user: token }),
    await sendRequest(service, 'POST', '/v1/tokens', { [token]: 1 }),
  ];
  for (const { statusCode, body } of responses) {
    assert.equal(statusCode, 400);
    assert.match(body, /\[token\]/);
    assert.ok(!body.includes(token.slice(12)), body);
  }
});
