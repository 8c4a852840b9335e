import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runAttack } from '../../testing/run-attack.ts';
import { WORKER_ATTACKS } from '../../testing/worker-attacks.ts';

describe('code of an exploited library that runs in a worker', { concurrency: 2 }, () => {
  for (const attack of WORKER_ATTACKS) {
    it(`cannot harm the service: ${attack.name} (${attack.effect})`, async (t) => {
      assert.deepEqual(await runAttack(t, attack, 'unrestricted'), [attack.effect]);
      assert.deepEqual(await runAttack(t, attack, 'restricted'), []);
    });
  }
});
