import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { ROUNDS, THOROUGH } from './rounds.ts';
import { ServiceProcess } from './service-process.ts';

/** A round has 200 writes. */
const ROUND_COUNT = THOROUGH ? ROUNDS : 4;
/** When the service is killed: at the first response, after some, after many. */
const KILL_AFTER = [1, 20, 60, 120];
const CONCURRENT_WRITES = 200;

/** Token strings and checksums by id. Acknowledged writes must survive every crash. */
type AcknowledgedWrites = {
  tokens: Map<string, string>;
  designs: Map<string, string>;
};

describe('kill -9 during 200 writes', () => {
  it('loses nothing that was acknowledged', async (t) => {
    const service = await ServiceProcess.open(t);
    const tokenString = await service.readBootstrapToken();
    const all: AcknowledgedWrites = { tokens: new Map(), designs: new Map() };
    let interrupted = 0;
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      const acknowledged: AcknowledgedWrites = { tokens: new Map(), designs: new Map() };
      interrupted += await writeUntilKilled(service, tokenString, { round, acknowledged });
      await service.start();
      await assertAllStored(service, tokenString, acknowledged);
      for (const [id, token] of acknowledged.tokens) all.tokens.set(id, token);
      for (const [id, checksum] of acknowledged.designs) all.designs.set(id, checksum);
    }
    await assertAllStored(service, tokenString, all);
    // If one of these is zero, the kill came too late or too early to test anything.
    const { tokens, designs } = all;
    assert.ok(interrupted > 0, 'every write was acknowledged before the kill');
    assert.ok(tokens.size > 0 && designs.size > 0, 'nothing was written before the kill');
    t.diagnostic(`${tokens.size} tokens, ${designs.size} designs, ${interrupted} interrupted`);
  });
});

async function writeUntilKilled(
  service: ServiceProcess,
  tokenString: string,
  { round, acknowledged }: { round: number; acknowledged: AcknowledgedWrites },
): Promise<number> {
  let acknowledgedCount = 0;
  const reachedCount = Promise.withResolvers<void>();
  const killAfter = KILL_AFTER[round % KILL_AFTER.length] ?? 1;
  const writes = Array.from({ length: CONCURRENT_WRITES }, async (_, index) => {
    const write = index % 2 === 0 ? createToken : uploadDesign;
    const isAcknowledged = await write(service, tokenString, {
      label: `${round}-${index}`,
      acknowledged,
    }).catch(() => false);
    if (isAcknowledged) acknowledgedCount += 1;
    if (acknowledgedCount >= killAfter) reachedCount.resolve();
  });
  await Promise.race([reachedCount.promise, Promise.all(writes)]);
  await service.kill();
  await Promise.all(writes);
  return CONCURRENT_WRITES - acknowledgedCount;
}

type WriteOptions = { label: string; acknowledged: AcknowledgedWrites };

async function createToken(
  service: ServiceProcess,
  tokenString: string,
  { label, acknowledged }: WriteOptions,
) {
  const response = await fetch(`${service.origin}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenString}`, 'content-type': 'application/json' },
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
  tokenString: string,
  { label, acknowledged }: WriteOptions,
) {
  const bytes = makeBox({ name: label });
  const response = await fetch(`${service.origin}/v1/designs?name=${label}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenString}`, 'content-type': 'model/gltf-binary' },
    body: new Uint8Array(bytes),
  });
  if (response.status !== 201) return false;
  const { id } = (await response.json()) as { id: string };
  acknowledged.designs.set(id, toSha256(bytes));
  return true;
}

async function assertAllStored(
  service: ServiceProcess,
  tokenString: string,
  { tokens, designs }: AcknowledgedWrites,
): Promise<void> {
  for (const [id, token] of tokens) {
    // Authenticates with the token, which proves more than reading its row.
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${service.origin}/v1/tokens/${id}`, { headers });
    assert.equal(response.status, 200, `token ${id} is missing`);
    await response.arrayBuffer();
  }
  const headers = { authorization: `Bearer ${tokenString}` };
  for (const [id, checksum] of designs) {
    const response = await fetch(`${service.origin}/v1/designs/${id}/model`, { headers });
    assert.equal(response.status, 200, `design ${id} is missing`);
    assert.equal(
      toSha256(Buffer.from(await response.arrayBuffer())),
      checksum,
      `design ${id} is damaged`,
    );
  }
}

const toSha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
