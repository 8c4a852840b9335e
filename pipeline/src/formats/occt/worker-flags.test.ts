import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { OCCT_WORKER_FLAGS } from './worker-flags.ts';

/** In bytes: V8 takes more than a second to optimize a function of 276 kB. */
const LARGE_FUNCTION_BYTES = 100_000;

const IMPORT_CUBE = `
  const { makeStep } = await import(${JSON.stringify(import.meta.resolve('../../../testing/formats/step.ts'))});
  const { importStep } = await import(${JSON.stringify(import.meta.resolve('../step/import.ts'))});
  await importStep(makeStep());
  console.log('imported');
`;

it('no large function of the library is optimized for a small file', async () => {
  const flags = [...OCCT_WORKER_FLAGS, '--trace-wasm-compilation-times', '--no-warnings'];
  const command = [...flags, '--input-type=module', '--eval', IMPORT_CUBE];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    maxBuffer: 64 * 1024 * 1024,
  });
  assert.ok(stdout.includes('imported'));
  const compiled = [...stdout.matchAll(/using (Liftoff|TurboFan), .* bodysize (\d+)/g)];
  const large = compiled.filter(([, , bodyBytes]) => Number(bodyBytes) > LARGE_FUNCTION_BYTES);
  assert.deepEqual([...new Set(large.map(([, compiler]) => compiler))], ['Liftoff']);
});
