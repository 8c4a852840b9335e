import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { findProgram, skipWithout } from '../scripts/optional-programs.ts';

const DEMO = join(import.meta.dirname, '../demo/scale.ts');

test('the demo with several nodes: no visitor notices that a web node and a worker are killed', {
  skip: skipWithout('nginx'),
}, async (t) => {
  const child = spawn(process.execPath, [DEMO], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, CLOCHE_CHROMIUM: 'none' },
  });
  t.after(() => child.kill('SIGTERM'));
  const exited = once(child, 'exit');
  const output = await text(child.stdout);
  assert.deepEqual(await exited, [0, null], output);
  const [, count, failed] =
    /Result\n +(\d+) requests of visitors, (\d+) failed\./.exec(output) ?? [];
  assert.equal(Number(failed), 0, output);
  assert.ok(Number(count) >= 400, output);
  const hasS3 = findProgram('radosgw') !== undefined;
  assert.match(output, hasS3 ? /An S3 server, radosgw: http/ : /A shared folder for files/);
  assert.match(output, /A web node is killed \(SIGKILL\)\n +The other one answers all requests\./);
  assert.match(output, /The other worker has completed/);
  const processes = [...output.matchAll(/: process (\d+), port/g)].map(([, pid]) => pid);
  assert.equal(processes.length, 4, output);
  for (const pid of processes) assert.equal(existsSync(`/proc/${pid}`), false, `process ${pid}`);
});
