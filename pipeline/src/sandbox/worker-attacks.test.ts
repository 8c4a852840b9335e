import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runAttack } from '../../testing/run-attack.ts';
import { skipWithoutStrict } from '../../testing/skip-without-strict.ts';
import { WORKER_ATTACKS } from '../../testing/worker-attacks.ts';
import { detectReducedIsolation } from './reduced-isolation.ts';

const isolation = await detectReducedIsolation();

describe('code of an exploited library that runs in a worker', { concurrency: 2 }, () => {
  for (const attack of WORKER_ATTACKS) {
    it(`cannot harm the service: ${attack.name} (${attack.effect})`, async (t) => {
      assert.deepEqual(await runAttack(t, attack, 'unrestricted'), [attack.effect]);
      assert.deepEqual(await runAttack(t, attack, 'restricted'), []);
    });
  }
});

describe('native code in a worker, at the level strict', {
  concurrency: 2,
  skip: await skipWithoutStrict(),
}, () => {
  for (const attack of WORKER_ATTACKS) {
    it(`cannot harm the service: ${attack.name} (${attack.effect})`, async (t) => {
      assert.deepEqual(await runAttack(t, attack, 'strict'), []);
    });
  }
});

describe('native code in a worker, at the level reduced, if the service runs as root', {
  concurrency: 2,
  skip: !(isolation.changesUser && isolation.blocksNetwork) && isolation.missing.join(', '),
}, () => {
  for (const attack of WORKER_ATTACKS) {
    it(`cannot harm the service: ${attack.name} (${attack.effect})`, async (t) => {
      assert.deepEqual(await runAttack(t, attack, 'reduced'), []);
    });
  }
});
