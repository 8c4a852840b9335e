import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeBox } from '../server/testing/models.ts';
import { RealService } from './real-service.ts';

const ROUNDS = 4;
const AT_ONCE = 200;

/** What a client was told is done: it must be there for ever. */
type Acknowledged = {
  tokens: Map<string, string>;
  designs: Map<string, string>;
};

describe('kill -9 in the middle of 200 writes', () => {
  it('loses nothing that was acknowledged', async (t) => {
    const service = await RealService.open(t);
    const secret = await service.firstToken();
    const done: Acknowledged = { tokens: new Map(), designs: new Map() };
    let cutOff = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      cutOff += await writeUntilKilled(service, secret, { round, done });
      await service.start();
      await checkAll(service, secret, done);
    }
    // Both must have happened, or the test has tried nothing.
    assert.ok(cutOff > 0, 'every write was answered before the kill');
    assert.ok(done.tokens.size > 0 && done.designs.size > 0, 'nothing was written before the kill');
    t.diagnostic(`${done.tokens.size} tokens, ${done.designs.size} designs, ${cutOff} cut off`);
  });
});

async function writeUntilKilled(
  service: RealService,
  secret: string,
  { round, done }: { round: number; done: Acknowledged },
): Promise<number> {
  let answered = 0;
  const enough = Promise.withResolvers<void>();
  // Later each round: at the first answer, after some, after many.
  const killAfter = [1, 20, 60, 120][round] ?? 1;
  const work = Array.from({ length: AT_ONCE }, async (_, i) => {
    const write = i % 2 === 0 ? createToken : uploadDesign;
    const ok = await write(service, secret, { mark: `${round}-${i}`, done }).catch(() => false);
    if (ok) answered += 1;
    if (answered >= killAfter) enough.resolve();
  });
  await Promise.race([enough.promise, Promise.all(work)]);
  await service.kill();
  await Promise.all(work);
  return AT_ONCE - answered;
}

type Write = { mark: string; done: Acknowledged };

async function createToken(service: RealService, secret: string, { mark, done }: Write) {
  const response = await fetch(`${service.origin}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      capabilities: ['read'],
      type: 'api',
      user: '~',
      name: `token ${mark}`,
    }),
  });
  if (response.status !== 201) return false;
  const { id, token } = (await response.json()) as { id: string; token: string };
  done.tokens.set(id, token);
  return true;
}

async function uploadDesign(service: RealService, secret: string, { mark, done }: Write) {
  const bytes = makeBox({ name: mark });
  const response = await fetch(`${service.origin}/v1/designs?name=${mark}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'model/gltf-binary' },
    body: new Uint8Array(bytes),
  });
  if (response.status !== 201) return false;
  const { id } = (await response.json()) as { id: string };
  done.designs.set(id, hash(bytes));
  return true;
}

async function checkAll(service: RealService, secret: string, done: Acknowledged): Promise<void> {
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
    assert.equal(hash(Buffer.from(await answer.arrayBuffer())), sum, `design ${id} is damaged`);
  }
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
