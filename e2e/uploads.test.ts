import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox } from '../server/testing/models.ts';
import { makeLarge, PIECE, send, TUS } from '../server/testing/tus.ts';
import { RealService } from './real-service.ts';

const MB = 1024 * 1024;
const ROUNDS = 3;

async function open(t: Parameters<typeof RealService.open>[0]) {
  const service = await RealService.open(t);
  const token = await service.firstToken();
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
  const { service, token, list } = await open(t);
  const bytes = makeLarge(4 * MB);
  let restarted: Promise<void> | undefined;
  const sent = await send({ origin: service.origin, token }, bytes, {
    chunkSize: MB,
    retryDelays: Array.from({ length: 100 }, () => 100),
    onChunkComplete: () => {
      restarted ??= service.kill().then(() => service.start());
    },
  });
  await restarted;
  assert.equal(sent.error?.message, undefined);
  // Once for each piece, and once more for the one that was broken off.
  assert.ok(sent.said.filter((one) => one === 'PATCH 204').length <= 5, sent.said.join());
  assert.ok(sent.said.includes('HEAD 200'));
  assert.deepEqual(
    (await list()).map(({ uri }) => uri),
    [sent.design],
  );
});

test('a service that is killed while it takes a file in makes one design of it', async (t) => {
  const { service, ask, list } = await open(t);
  const bytes = Buffer.from(makeBox());
  const designs: (string | null)[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const length = { ...TUS, 'upload-length': String(bytes.length) };
    const begun = await ask(`${service.origin}/v1/uploads`, 'POST', length);
    const url = String(begun.headers.get('location'));
    const last = { ...PIECE, 'upload-offset': '0' };
    const sent = ask(url, 'PATCH', last, bytes).catch(() => undefined);
    await sleep(Math.random() * 30);
    await service.kill();
    await sent;
    await service.start();
    const asked = await ask(url, 'HEAD', TUS);
    assert.equal(asked.status, 200);
    const offset = asked.headers.get('upload-offset') ?? '';
    const rest = { ...PIECE, 'upload-offset': offset };
    const ended = await ask(url, 'PATCH', rest, bytes.subarray(Number(offset)));
    assert.equal(ended.status, 204);
    designs.unshift(ended.headers.get('cloche-design'));
  }
  assert.deepEqual(
    (await list()).map(({ uri }) => uri),
    designs,
  );
});
