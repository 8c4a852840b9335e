import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
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
  const sendRequest = (url: string, method: string, headers = {}, body?: Uint8Array<ArrayBuffer>) =>
    fetch(url, { method, headers: { authorization, ...headers }, ...(body && { body }) });
  const listDesigns = async () => {
    const response = await sendRequest(`${service.origin}/v1/designs`, 'GET');
    return (await response.json()).items as { uri: string; name: string }[];
  };
  return { service, token, sendRequest, listDesigns };
}

test('an upload continues at its offset after the service was killed', async (t) => {
  const { service, token, listDesigns } = await openService(t);
  const bytes = makeLargeGlb(4 * MIB);
  let restarted: Promise<void> | undefined;
  const upload = await uploadWithTusClient({ origin: service.origin, token }, bytes, {
    chunkSize: MIB,
    // For two minutes: a start of the service takes long on a busy machine.
    retryDelays: Array.from({ length: 1200 }, () => 100),
    onChunkComplete: () => {
      restarted ??= service.kill().then(() => service.start());
    },
  });
  await restarted;
  assert.equal(upload.error?.message, undefined);
  // One for each chunk, and one more for the chunk that was interrupted.
  const patches = upload.exchanges.filter((exchange) => exchange === 'PATCH 204');
  assert.ok(patches.length <= 5, upload.exchanges.join());
  assert.ok(upload.exchanges.includes('HEAD 200'));
  assert.deepEqual(
    (await listDesigns()).map(({ uri }) => uri),
    [upload.designUri],
  );
});

test('a service that is killed while it completes an upload creates one design', async (t) => {
  const { service, sendRequest, listDesigns } = await openService(t);
  const bytes = Buffer.from(makeBox());
  const designs: (string | null)[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const length = { ...TUS_HEADERS, 'upload-length': String(bytes.length) };
    const created = await sendRequest(`${service.origin}/v1/uploads`, 'POST', length);
    const url = String(created.headers.get('location'));
    const firstHeaders = { ...TUS_PATCH_HEADERS, 'upload-offset': '0' };
    const interrupted = sendRequest(url, 'PATCH', firstHeaders, bytes).catch(() => undefined);
    await delay(Math.random() * 30);
    await service.kill();
    await interrupted;
    await service.start();
    const head = await sendRequest(url, 'HEAD', TUS_HEADERS);
    assert.equal(head.status, 200);
    const offset = head.headers.get('upload-offset') ?? '';
    const remainingHeaders = { ...TUS_PATCH_HEADERS, 'upload-offset': offset };
    const completed = await sendRequest(
      url,
      'PATCH',
      remainingHeaders,
      bytes.subarray(Number(offset)),
    );
    assert.equal(completed.status, 204);
    designs.unshift(completed.headers.get('cloche-design'));
  }
  assert.deepEqual(
    (await listDesigns()).map(({ uri }) => uri),
    designs,
  );
});
