import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox, makeLargeGlb } from '@cloche/pipeline/testing/models';
import { uploadWithTusClient } from '../server/testing/tus-client.ts';
import { TUS_HEADERS, TUS_PATCH_HEADERS } from '../server/testing/tus-requests.ts';
import { ServiceProcess } from './service-process.ts';

const MIB = 1024 * 1024;
const ROUNDS = 3;

async function openService(t: Parameters<typeof ServiceProcess.open>[0]) {
  const service = await ServiceProcess.open(t);
  const token = await service.readBootstrapToken();
  const authorization = `Bearer ${token}`;
  const ask = (url: string, method: string, headers = {}, body?: Uint8Array<ArrayBuffer>) =>
    fetch(url, { method, headers: { authorization, ...headers }, ...(body && { body }) });
  const list = async () => {
    const answer = await ask(`${service.origin}/v1/designs`, 'GET');
    return (await answer.json()).items as { uri: string; name: string }[];
  };
  return { service, token, ask, list };
}

test('an upload goes on where it was when the service was killed', async (t) => {
  const { service, token, list } = await openService(t);
  const bytes = makeLargeGlb(4 * MIB);
  let restarted: Promise<void> | undefined;
  const sent = await uploadWithTusClient({ origin: service.origin, token }, bytes, {
    chunkSize: MIB,
    retryDelays: Array.from({ length: 100 }, () => 100),
    onChunkComplete: () => {
      restarted ??= service.kill().then(() => service.start());
    },
  });
  await restarted;
  assert.equal(sent.error?.message, undefined);
  // Once for each piece, and once more for the one that was broken off.
  assert.ok(sent.exchanges.filter((one) => one === 'PATCH 204').length <= 5, sent.exchanges.join());
  assert.ok(sent.exchanges.includes('HEAD 200'));
  assert.deepEqual(
    (await list()).map(({ uri }) => uri),
    [sent.designUri],
  );
});

test('a service that is killed while it takes a file in makes one design of it', async (t) => {
  const { service, ask, list } = await openService(t);
  const bytes = Buffer.from(makeBox());
  const designs: (string | null)[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const length = { ...TUS_HEADERS, 'upload-length': String(bytes.length) };
    const begun = await ask(`${service.origin}/v1/uploads`, 'POST', length);
    const url = String(begun.headers.get('location'));
    const last = { ...TUS_PATCH_HEADERS, 'upload-offset': '0' };
    const sent = ask(url, 'PATCH', last, bytes).catch(() => undefined);
    await sleep(Math.random() * 30);
    await service.kill();
    await sent;
    await service.start();
    const asked = await ask(url, 'HEAD', TUS_HEADERS);
    assert.equal(asked.status, 200);
    const offset = asked.headers.get('upload-offset') ?? '';
    const rest = { ...TUS_PATCH_HEADERS, 'upload-offset': offset };
    const ended = await ask(url, 'PATCH', rest, bytes.subarray(Number(offset)));
    assert.equal(ended.status, 204);
    designs.unshift(ended.headers.get('cloche-design'));
  }
  assert.deepEqual(
    (await list()).map(({ uri }) => uri),
    designs,
  );
});
