import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { ServiceProcess } from './service-process.ts';

const ROUNDS = 4;
const CONCURRENT_WRITES = 200;

/** What a client was told is done: it must be there for ever. */
type AcknowledgedWrites = {
  tokens: Map<string, string>;
  designs: Map<string, string>;
};

describe('kill -9 in the middle of 200 writes', () => {
  it('loses nothing that was acknowledged', async (t) => {
    const service = await ServiceProcess.open(t);
    const secret = await service.readBootstrapToken();
    const done: AcknowledgedWrites = { tokens: new Map(), designs: new Map() };
    let cutOff = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      cutOff += await writeUntilKilled(service, secret, { round, done });
      await service.start();
      await assertAllStored(service, secret, done);
    }
    // Both must have happened, or the test has tried nothing.
    assert.ok(cutOff > 0, 'every write was answered before the kill');
    assert.ok(done.tokens.size > 0 && done.designs.size > 0, 'nothing was written before the kill');
    t.diagnostic(`${done.tokens.size} tokens, ${done.designs.size} designs, ${cutOff} cut off`);
  });
});

async function writeUntilKilled(
  service: ServiceProcess,
  secret: string,
  { round, done: acknowledged }: { round: number; done: AcknowledgedWrites },
): Promise<number> {
  let answered = 0;
  const enough = Promise.withResolvers<void>();
  // Later each round: at the first answer, after some, after many.
  const killAfter = [1, 20, 60, 120][round] ?? 1;
  const work = Array.from({ length: CONCURRENT_WRITES }, async (_, i) => {
    const write = i % 2 === 0 ? createToken : uploadDesign;
    const ok = await write(service, secret, { label: `${round}-${i}`, acknowledged }).catch(
      () => false,
    );
    if (ok) answered += 1;
    if (answered >= killAfter) enough.resolve();
  });
  await Promise.race([enough.promise, Promise.all(work)]);
  await service.kill();
  await Promise.all(work);
  return CONCURRENT_WRITES - answered;
}

type WriteOptions = { label: string; acknowledged: AcknowledgedWrites };

async function createToken(
  service: ServiceProcess,
  secret: string,
  { label, acknowledged }: WriteOptions,
) {
  const response = await fetch(`${service.origin}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      capabilities: ['read'],
      type: 'api',
      user: '~',
      name: `token ${label}`,
    }),
  });
  if (response.status !== 201) return false;
  const { id, token } = (await response.json()) as { id: string; token: string };
  acknowledged.tokens.set(id, token);
  return true;
}

async function uploadDesign(
  service: ServiceProcess,
  secret: string,
  { label, acknowledged }: WriteOptions,
) {
  const bytes = makeBox({ name: label });
  const response = await fetch(`${service.origin}/v1/designs?name=${label}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'model/gltf-binary' },
    body: new Uint8Array(bytes),
  });
  if (response.status !== 201) return false;
  const { id } = (await response.json()) as { id: string };
  acknowledged.designs.set(id, toSha256(bytes));
  return true;
}

async function assertAllStored(
  service: ServiceProcess,
  secret: string,
  done: AcknowledgedWrites,
): Promise<void> {
  for (const [id, token] of done.tokens) {
    // The token itself works, not only its row.
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.origin}/v1/tokens/${id}`, { headers });
    assert.equal(answer.status, 200, `token ${id} is lost`);
    await answer.arrayBuffer();
  }
  const headers = { authorization: `Bearer ${secret}` };
  for (const [id, sum] of done.designs) {
    const answer = await fetch(`${service.origin}/v1/designs/${id}/model`, { headers });
    assert.equal(answer.status, 200, `design ${id} is lost`);
    assert.equal(toSha256(Buffer.from(await answer.arrayBuffer())), sum, `design ${id} is damaged`);
  }
}

const toSha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
