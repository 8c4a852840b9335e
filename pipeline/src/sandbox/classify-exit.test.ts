import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  createJobDirectory,
  limitedSandbox,
  RUN_JOB,
  runScript,
} from '../../testing/limited-sandbox.ts';
import { findWorkerPid } from '../../testing/processes.ts';
import { classifyExit } from './classify-exit.ts';
import { getDefaultLimits } from './limits.ts';
import type { ProcessExit } from './run-process.ts';

it('a rejection has its reason, and is not retryable', async (t) => {
  const result = await runScript(
    t,
    `import { Problem } from ${JSON.stringify(import.meta.resolve('@cloche/contract/problem'))};
    import { runJob } from ${RUN_JOB};
    await runJob(async () => {
      throw new Problem('design.unreadable', { detail: 'Line 3 ends too soon.' });
    });`,
  );
  const detail = 'Line 3 ends too soon.';
  assert.deepEqual(result, { ok: false, code: 'design.unreadable', detail, retryable: false });
});

it('a job is retryable when the disk is full', async () => {
  const resultsError = Object.assign(new Error('write'), { code: 'ENOSPC' });
  const exit = { exitCode: null, signal: null, killReason: 'results', resultsError, output: '' };
  assert.deepEqual(await classifyExit(exit as ProcessExit, '/', getDefaultLimits()), {
    ok: false,
    code: 'server.storage-full',
    detail: 'The disk of the server is full.',
    retryable: true,
  });
});

it('a job needs too much memory if meshoptimizer gets none, which it does not check', async () => {
  const classify = (library: string) => {
    const output = `RuntimeError: memory access out of bounds
at wasm://wasm/00027f5e:wasm-function[2]:0x4d51
at simplifyAttr (file:///cloche/node_modules/${library}.js:144:16)`;
    const exit = { exitCode: 1, signal: null, output } as ProcessExit;
    return classifyExit(exit, '/', { ...getDefaultLimits(), memoryBytes: 2 * 1024 ** 3 });
  };
  assert.deepEqual(await classify('meshoptimizer/meshopt_simplifier'), {
    ok: false,
    code: 'design.too-complex',
    detail: 'Processing the file needs more memory than the 2 GiB allowed for one design.',
    retryable: false,
  });
  const other = await classify('web-ifc/web-ifc-api-node');
  assert.ok(!other.ok && other.code === 'design.failed', 'probably a defect of the library');
});

it('a worker is killed when it takes too long', async (t) => {
  const result = await runScript(t, 'for (;;);', { timeoutMs: 500 });
  assert.deepEqual(result, {
    ok: false,
    code: 'design.too-complex',
    detail: 'Processing the file takes more than 1 s.',
    retryable: false,
  });
});

it('a job that takes too long has its decoded size and the unfinished step in its problem', async (t) => {
  const script = `import { writeSync } from 'node:fs';
    writeSync(3, '{"step":"textures","percent":40}\\n');
    for (;;);`;
  const result = await runScript(t, script, { timeoutMs: 5000, decodedBytes: 2_500_000 });
  assert.ok(!result.ok && result.retryable === false);
  const detail =
    'Processing the file takes more than 5 s, the limit for 2.5 MB of decoded data. The step that was not finished is "textures": give the model fewer or smaller textures.';
  assert.deepEqual([result.code, result.detail], ['design.too-complex', detail]);
});

it('a worker is killed when the job is aborted', async (t) => {
  const controller = new AbortController();
  const script = `import { writeSync } from 'node:fs';
    writeSync(3, '{"step":"read","percent":0}\\n');
    for (;;);`;
  const result = await runScript(t, script, {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  assert.ok(!result.ok && result.retryable);
  assert.equal(result.code, 'server.unavailable');
  const late = await runScript(t, 'for (;;);', { signal: AbortSignal.abort() });
  assert.ok(!late.ok && late.retryable);
});

it('a job is tried once more after its process crashed', async (t) => {
  const crashes: [string, RegExp][] = [
    [`throw new TypeError('undefined is not a function')`, /exit code 1/],
    ['', /report.json is missing/],
    ['process.exit(2)', /rejection.json is missing/],
  ];
  for (const [script, detail] of crashes) {
    const result = await runScript(t, script);
    assert.ok(!result.ok, script);
    assert.deepEqual([result.code, result.retryable], ['design.failed', 'once'], script);
    assert.match(result.detail, detail);
  }
});

it('a process that ends by a signal has crashed; SIGKILL is sent by a system without memory', async (t) => {
  const retryable = { SIGSEGV: 'once', SIGABRT: 'once', SIGKILL: true };
  for (const signal of ['SIGSEGV', 'SIGABRT', 'SIGKILL'] as const) {
    const directory = await createJobDirectory(
      t,
      `import { writeSync } from 'node:fs';
      writeSync(3, '{"step":"read","percent":0}\\n');
      for (;;);`,
    );
    const onProgress = () => process.kill(findWorkerPid(directory), signal);
    const result = await limitedSandbox.run(directory, { onProgress });
    assert.ok(!result.ok, signal);
    assert.deepEqual([result.code, result.retryable], ['design.failed', retryable[signal]]);
    assert.match(result.detail, new RegExp(`\\(${signal}\\)`));
    assert.equal(/memory/.test(result.detail), signal === 'SIGKILL');
  }
});
