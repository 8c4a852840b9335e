import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { makeBox } from '../../testing/models.ts';
import { findWorkerPid } from '../../testing/processes.ts';
import { skipWithoutStrict } from '../../testing/skip-without-strict.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import type { WorkerResult } from '../model-processor.ts';
import type { StepName } from '../processing-steps.ts';
import { classifyExit } from './classify-exit.ts';
import { getDefaultLimits, getWorkerLimits } from './limits.ts';
import { getNodeFlags } from './node-permissions.ts';
import { detectReducedIsolation } from './reduced-isolation.ts';
import { runIsolated } from './run-isolated.ts';
import type { ProcessExit } from './run-process.ts';
import { openSandbox, type SandboxRunOptions } from './sandbox.ts';
import type { WorkerJob } from './worker-protocol.ts';

const MIB = 1024 * 1024;
const RUN_JOB = join(import.meta.dirname, 'worker/run-job.ts');
const DENIED = 'ERR_ACCESS_DENIED';
const SEND_RESULT = JSON.stringify(import.meta.resolve('./worker/send-result.ts'));
const SHARP_URL = import.meta.resolve('sharp');

const sandbox = await openSandbox();
/** Runs `worker.ts` of the job directory, with low limits. */
const limitedSandbox = await openSandbox({
  entryPoint: 'worker.ts',
  memoryBytes: 1024 * MIB,
  heapBytes: 100 * MIB,
  fileBytes: MIB,
  timeoutMs: 30_000,
});

/** Creates a job directory with a script that runs in place of the worker. */
async function createJobDirectory(t: TestContext, script: string): Promise<string> {
  const directory = await openTemporaryDirectory(t);
  await writeFile(join(directory, 'worker.ts'), script);
  return directory;
}

async function runScript(
  t: TestContext,
  script: string,
  options?: SandboxRunOptions,
): Promise<WorkerResult> {
  return limitedSandbox.run(await createJobDirectory(t, script), options);
}

/** Runs a function in the sandbox; its return value comes back as the detail of a rejection. */
async function evaluate(t: TestContext, functionText: string): Promise<unknown> {
  const result = await runScript(
    t,
    `import { sendResult } from ${SEND_RESULT};
    const attempt = async (operation) => {
      try { await operation(); return 'done'; } catch (error) { return error.code ?? String(error); }
    };
    const value = await (${functionText})(attempt);
    const detail = JSON.stringify(value);
    sendResult('rejection.json', JSON.stringify({ code: 'design.unreadable', detail }));
    process.exit(2);`,
  );
  assert.ok(!result.ok && result.code === 'design.unreadable', JSON.stringify(result));
  return JSON.parse(result.detail);
}

it('the level is strict', { skip: await skipWithoutStrict() }, () => {
  assert.deepEqual(sandbox.report, { level: 'strict', missing: [] });
});

it('a worker creates a model, reports progress and writes a report', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await writeFile(join(directory, 'source'), makeBox({ textured: true }));
  const job: WorkerJob = { detectedFormat: { format: 'glb' }, options: {} };
  await writeFile(join(directory, 'job.json'), JSON.stringify(job));
  const updates: [StepName, number][] = [];
  const result = await sandbox.run(directory, { onProgress: (...update) => updates.push(update) });

  assert.ok(result.ok, JSON.stringify(result));
  const model = await readFile(join(directory, 'out/model.glb'));
  assert.equal(model.toString('latin1', 0, 4), 'glTF');
  assert.equal(result.report.before.bytes, makeBox({ textured: true }).length);
  assert.equal(result.report.before.materials, 1);
  assert.deepEqual(result.report.bounds, { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] });
  assert.ok(result.report.steps.some(({ name }) => name === 'read'));
  assert.deepEqual(updates[0], ['read', 0]);
  const percents = updates.map(([, percent]) => percent);
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
  );
});

it('a rejection has its reason, and is not retryable', async (t) => {
  const result = await runScript(
    t,
    `import { Problem } from ${JSON.stringify(import.meta.resolve('@cloche/contract/problem'))};
    import { runJob } from ${JSON.stringify(RUN_JOB)};
    await runJob(async () => {
      throw new Problem('design.unreadable', { detail: 'Line 3 ends too soon.' });
    });`,
  );
  const detail = 'Line 3 ends too soon.';
  assert.deepEqual(result, { ok: false, code: 'design.unreadable', detail, retryable: false });
});

it('a worker can read only its code and the job directory', async (t) => {
  const canary = join(await openTemporaryDirectory(t), 'canary.mjs');
  await writeFile(canary, 'export const secret = true;');
  const results = await evaluate(
    t,
    `async (attempt) => {
      const { readFileSync, readdirSync, statSync, openSync } = await import('node:fs');
      return [
        await attempt(() => readFileSync(${JSON.stringify(canary)})),
        await attempt(() => openSync(${JSON.stringify(canary)})),
        await attempt(() => readFileSync('/etc/passwd')),
        await attempt(() => readFileSync('/proc/self/environ')),
        await attempt(() => readdirSync('..')),
        await attempt(() => import(${JSON.stringify(canary)})),
        await attempt(() => readFileSync('worker.ts')),
      ];
    }`,
  );
  // If the system hides the file from the worker, Node does not ask for permission to import it.
  const { hasOwnProcesses, changesUser } = sandbox.isolation;
  const notImported = hasOwnProcesses || changesUser ? 'ERR_MODULE_NOT_FOUND' : DENIED;
  assert.deepEqual(results, [...new Array(5).fill(DENIED), notImported, 'done']);
});

it('a worker can write no file', async (t) => {
  const target = join(await openTemporaryDirectory(t), 'target');
  await writeFile(target, 'unchanged');
  const results = await evaluate(
    t,
    `async (attempt) => {
      const fs = await import('node:fs');
      return [
        await attempt(() => fs.writeFileSync(${JSON.stringify(target)}, 'overwritten')),
        await attempt(() => fs.writeFileSync('source', 'overwritten')),
        await attempt(() => fs.writeFileSync('out/../job.json', '{}')),
        await attempt(() => fs.writeFileSync('/dev/shm/cloche-target', 'overwritten')),
        await attempt(() => fs.symlinkSync(${JSON.stringify(target)}, 'out/model.glb')),
        await attempt(() => fs.linkSync(${JSON.stringify(target)}, 'out/model.glb')),
        await attempt(() => fs.rmSync(${JSON.stringify(target)})),
        await attempt(() => fs.writeFileSync('out/model.glb', 'overwritten')),
      ];
    }`,
  );
  assert.deepEqual(results, new Array(8).fill('ERR_ACCESS_DENIED'));
  assert.equal(await readFile(target, 'utf8'), 'unchanged');
});

it('a worker can start no process and no thread, even without our own restrictions', async (t) => {
  const isolation = await detectReducedIsolation([]);
  const directory = await createJobDirectory(
    t,
    `import { spawnSync } from 'node:child_process';
    import { Worker } from 'node:worker_threads';
    const attempt = (operation) => {
      try { operation(); return 'done'; } catch (error) { return error.code; }
    };
    const codes = [
      attempt(() => spawnSync('/bin/true')),
      attempt(() => new Worker('0', { eval: true })),
    ];
    console.log(codes.join());`,
  );
  const flags = getNodeFlags(directory, getDefaultLimits()).filter(
    (flag) => !flag.startsWith('--import'),
  );
  const { output } = await runIsolated(isolation, {
    command: [process.execPath, ...flags, 'worker.ts'],
    limits: getWorkerLimits(getDefaultLimits()),
    directory,
    timeoutMs: 30_000,
  });
  assert.equal(output, 'ERR_ACCESS_DENIED,ERR_ACCESS_DENIED');
});

it('a worker has no network, where the system supports that, even without our own restrictions', async (t) => {
  const isolation = await detectReducedIsolation();
  if (!isolation.blocksNetwork) return t.skip('unshare -n does not work here');
  const listener = createServer(() => assert.fail('the worker connected')).listen(0, '127.0.0.1');
  t.after(() => listener.close());
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const script = `require('node:net').connect(${port}, '127.0.0.1')
    .on('connect', () => console.log('connected'))
    .on('error', ({ code }) => console.log(code));`;
  const { output } = await runIsolated(isolation, {
    command: [process.execPath, '--eval', script],
    limits: getWorkerLimits(getDefaultLimits()),
    directory: await openTemporaryDirectory(t),
    timeoutMs: 30_000,
  });
  assert.equal(output, 'ENETUNREACH');
});

it('a worker gets no environment variables', async (t) => {
  process.env.CLOCHE_CANARY = 'a secret';
  t.after(() => delete process.env.CLOCHE_CANARY);
  // libvips sets VIPSHOME itself, and bubblewrap PWD.
  const names = (await evaluate(t, 'async () => Object.keys(process.env)')) as string[];
  assert.deepEqual(
    names.filter((name) => name !== 'PWD'),
    ['VIPSHOME'],
  );
});

it('a worker cannot exceed the memory limit with any kind of memory', async (t) => {
  const kinds: Record<string, string> = {
    'many buffers':
      'for (let count = 0; count < 48; count++) retained.push(Buffer.alloc(64 * MIB, 1));',
    'one buffer': 'retained.push(Buffer.alloc(3072 * MIB, 1));',
    'shared memory': 'retained.push(new Uint8Array(new SharedArrayBuffer(3072 * MIB)).fill(1));',
    webassembly: `const memory = new WebAssembly.Memory({ initial: 1 });
      for (let count = 0; count < 48; count++) {
        memory.grow(1024);
        new Uint8Array(memory.buffer).fill(1);
      }`,
    objects: 'for (let count = 0; ; count++) retained.push({ count });',
    images: `const { default: sharp } = await import(${JSON.stringify(SHARP_URL)});
      const create = { width: 28_000, height: 28_000, channels: 4, background: 'red' };
      retained.push(await sharp({ create, limitInputPixels: false }).rotate(33).raw().toBuffer());`,
  };
  for (const [kind, script] of Object.entries(kinds)) {
    const result = await runScript(
      t,
      `import { runJob } from ${JSON.stringify(RUN_JOB)};
      const MIB = 1024 * 1024;
      const retained = [];
      await runJob(async () => { ${script} });`,
    );
    assert.ok(!result.ok, kind);
    assert.equal(result.code, 'design.too-complex', `${kind}: ${result.detail}`);
    assert.match(result.detail, /more memory/, kind);
    assert.equal(result.retryable, false);
  }
});

it('the JavaScript heap is limited, so that garbage is collected in time', async (t) => {
  const outputs: string[] = [];
  const log = {
    // It also logs what the isolation of this system does not have.
    warn: (details: { exit?: ProcessExit }) => outputs.push(details.exit?.output ?? ''),
  };
  const { run } = await openSandbox({ entryPoint: 'worker.ts', heapBytes: 100 * MIB, log });
  const script = 'const retained = []; for (let count = 0; ; count++) retained.push({ count });';
  await run(await createJobDirectory(t, script));
  assert.match(outputs.at(-1) ?? '', /heap limit/);
});

it('the results of a worker may have a limited number of bytes in all', async (t) => {
  const directory = await createJobDirectory(
    t,
    `import { runJob } from ${JSON.stringify(RUN_JOB)};
    import { sendResult } from ${SEND_RESULT};
    await runJob(async () => {
      sendResult('preview.glb', Buffer.alloc(600 * 1024));
      sendResult('model.glb', Buffer.alloc(600 * 1024));
    });`,
  );
  const result = await limitedSandbox.run(directory);
  const detail = 'The processed file is larger than a design may be.';
  assert.deepEqual(result, { ok: false, code: 'design.too-complex', detail, retryable: false });
  assert.deepEqual(await readdir(join(directory, 'out')), ['preview.glb']);
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
  const result = await runScript(t, script, { timeoutMs: 1500, decodedBytes: 2_500_000 });
  assert.ok(!result.ok && result.retryable === false);
  const detail =
    'Processing the file takes more than 2 s, the limit for 2.5 MB of decoded data. The step that was not finished is "textures": give the model fewer or smaller textures.';
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

it('the sandbox removes the results of an earlier attempt', async (t) => {
  const directory = await createJobDirectory(t, '');
  await mkdir(join(directory, 'out/model.glb'), { recursive: true });
  const result = await limitedSandbox.run(directory);
  assert.ok(!result.ok && /report.json is missing/.test(result.detail));
});
