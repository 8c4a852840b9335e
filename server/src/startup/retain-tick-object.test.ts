import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SERVICE_ARGUMENTS, SHARED_ENVIRONMENT } from '../../../scripts/service-process.ts';

/** Calls `process.nextTick` before and after garbage collections. V8 keeps an unused hidden class for some of them. */
const CALL_NEXT_TICK = `
  import { setImmediate } from 'node:timers/promises';
  const callNextTick = async () => {
    for (let count = 0; count < 20; count += 1) await new Promise((resolve) => process.nextTick(resolve));
  };
  process.once('beforeExit', async () => {
    await callNextTick();
    for (let count = 0; count < 5; count += 1) {
      await setImmediate();
      gc();
    }
    await callNextTick();
  });`;

test('the hidden class of the objects of process.nextTick is created once', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'cloche-maps-'));
  const log = join(folder.path, 'maps.log');
  execFileSync(
    process.execPath,
    [
      '--expose-gc',
      '--log-maps',
      '--no-log-maps-details',
      `--logfile=${log}`,
      '--no-logfile-per-isolate',
      `--import=data:text/javascript,${encodeURIComponent(CALL_NEXT_TICK)}`,
      ...SERVICE_ARGUMENTS,
      '--version',
    ],
    { env: SHARED_ENVIRONMENT },
  );
  const transitions = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('map,Transition,') && line.includes('trigger_async_id'));
  assert.equal(transitions.length, 1, transitions.join('\n'));
});
