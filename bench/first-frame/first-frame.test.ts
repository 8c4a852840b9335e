import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { parseCommandLine } from './command-line.ts';
import { benchFirstFrame } from './first-frame.ts';

/** The scripts of the viewer have more. */
const MINIMUM_BYTES = 100_000;

it('the benchmark measures a design of the running service, and stores what it measured', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-bench-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const output = join(folder, 'results');
  const selection = ['--models=Box', '--networks=20', '--contenders=cloche'];
  const options = parseCommandLine([...selection, `--output=${output}`]);
  const { samples } = await benchFirstFrame(options);

  const [sample] = samples;
  assert.ok(samples.length === 1 && sample !== undefined);
  assert.equal(sample.error, undefined);
  const { usefulMs, first3dMs, fullMs, first3dBytes = 0, totalBytes = 0 } = sample;
  for (const time of [usefulMs, first3dMs, fullMs]) assert.ok((time ?? 0) > 0, `time: ${time}`);
  assert.ok(first3dBytes > MINIMUM_BYTES, `${first3dBytes} bytes until the first 3D frame`);
  assert.ok(totalBytes > MINIMUM_BYTES, `${totalBytes} bytes`);
  const stored = JSON.parse(await readFile(`${output}.json`, 'utf8'));
  assert.deepEqual(stored.samples, JSON.parse(JSON.stringify(samples)));
  assert.match(await readFile(`${output}.md`, 'utf8'), /^\| Box \| cloche \|/m);
});
