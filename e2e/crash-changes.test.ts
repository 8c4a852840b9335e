import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { assertNothingLeft, assertReady, setUpCrashTest } from './crash-fixtures.ts';
import { CrashLoad } from './crash-load.ts';
import { ROUNDS } from './rounds.ts';

describe('kill -9 during uploads, processing, deletes, token changes and revocations', () => {
  it('loses no acknowledged change, and no revoked token becomes valid again', async (t) => {
    const fixtures = await setUpCrashTest(t);
    const { service, client } = fixtures;
    const load = new CrashLoad(client, service.origin);
    for (let round = 0; round < ROUNDS; round += 1) {
      const clients = load.start();
      await load.waitForChanges();
      await delay(200 * Math.random());
      await service.kill();
      await clients;
      await service.start();
      await load.assertAllStored();
    }
    await load.completeUploads();
    await load.assertAllStored();
    await assertReady(fixtures, load.designs.keys());
    await assertNothingLeft(fixtures);
    const { revoked, deleted } = load;
    t.diagnostic(
      `${ROUNDS} rounds: ${load.designs.size} designs, ${deleted.size} deleted, ${load.tokens.size} tokens, ${revoked.size} revoked, ${load.uploads.size} resumable uploads`,
    );
    const counts = [load.designs, deleted, load.tokens, revoked, load.uploads].map((of) => of.size);
    assert.ok(
      counts.every((count) => count > 0),
      `nothing of one kind was changed: ${counts}`,
    );
    assert.equal((await client.upload(makeBox())).body.status, 'ready');
  });
});
