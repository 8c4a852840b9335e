import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmbedUsageList } from '@cloche/contract/embed-usage';
import type { TokenList } from '@cloche/contract/token';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Static } from 'typebox';
import { waitUntil } from '../scripts/wait-until.ts';
import { openServerDatabase } from '../server/testing/requests.ts';
import { ApiClient } from './api-client.ts';
import { ROUNDS } from './rounds.ts';
import { ServiceProcess } from './service-process.ts';

test('kill -9 loses what was counted since the last flush at most, and a graceful stop loses nothing', async (t) => {
  const service = await ServiceProcess.open(t);
  const client = await ApiClient.create(service);
  const { body } = await client.upload(makeBox());
  const view = async () => {
    const config = await client.getViewerConfig(body.id);
    return (await client.getArtifact(config)).length;
  };
  const database = openServerDatabase(t, service);
  const readStored = () => {
    const row = database.prepare('SELECT sum(views) AS views FROM embed_usage').get();
    return Number(row?.views ?? 0);
  };
  const read = async (): Promise<{ views: number; bytes: number }> => {
    const tokens = (await (await client.request('/v1/tokens')).json()) as Static<typeof TokenList>;
    const { id } = tokens.items.find(({ capabilities }) => capabilities.length === 1) ?? {};
    const response = await client.request(`/v1/tokens/${id}/usage?by=origin`);
    const [usage] = ((await response.json()) as EmbedUsageList).items;
    return { views: usage?.views ?? 0, bytes: usage?.bytes ?? 0 };
  };

  let known = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let index = 0; index < 5; index += 1) await view();
    known += 5;
    await waitUntil('the flush', () => readStored() === known);
    for (let index = 0; index < 3; index += 1) await view();
    await service.kill();
    const stored = readStored();
    assert.ok(stored >= known && stored <= known + 3, `${stored} of ${known} + 3`);
    await service.start();
    assert.equal((await read()).views, stored);
    known = stored;
  }

  const before = await read();
  let bytes = 0;
  for (let index = 0; index < 7; index += 1) bytes += await view();
  assert.equal(await service.stop('SIGTERM'), 0);
  await service.start();
  assert.deepEqual(await read(), { views: before.views + 7, bytes: before.bytes + bytes });
});
