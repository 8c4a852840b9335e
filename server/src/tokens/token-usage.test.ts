import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';

test('the last use of a token for the API or an embed is recorded, and written to the database at shutdown', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
  const embed = await issueToken(service);
  service.advanceTime(60_000);
  await sendRequest({ ...service, token: reader.token }, 'GET', '/v1/designs');
  await service.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${embed.token}`,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  for (const { id, createdAt } of [reader, embed]) {
    const { lastUsedAt } = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
    assert.ok(Date.parse(lastUsedAt) - Date.parse(createdAt) >= 60_000, lastUsedAt);
  }
  const database = openServerDatabase(t, service);
  const select = database.prepare('SELECT last_used_at FROM token WHERE id = ?');
  assert.equal(select.get(embed.id)?.last_used_at, null, 'not written with each request');
  await service.app.close();
  assert.notEqual(select.get(embed.id)?.last_used_at, null);
});
