import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { basename, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { WebIO } from '@gltf-transform/core';
import sharp from 'sharp';
import {
  createJobDirectory,
  limitedSandbox,
  RUN_JOB,
  runScript,
} from '../../testing/limited-sandbox.ts';
import { makeBox } from '../../testing/models.ts';
import { makeTexturedDocument } from '../../testing/run-optimize.ts';
import { skipWithoutStrict } from '../../testing/skip-without-strict.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import type { StepName } from '../processing-steps.ts';
import { getDefaultLimits, getWorkerLimits } from './limits.ts';
import { getNodeFlags } from './node-permissions.ts';
import { detectReducedIsolation } from './reduced-isolation.ts';
import { runIsolated } from './run-isolated.ts';
import type { ProcessExit } from './run-process.ts';
import { openSandbox } from './sandbox.ts';
import type { WorkerJob } from './worker-protocol.ts';

const MIB = 1024 * 1024;
const DENIED = 'ERR_ACCESS_DENIED';
const SEND_RESULT = JSON.stringify(import.meta.resolve('./worker/send-result.ts'));
const SHARP_URL = import.meta.resolve('sharp');

const sandbox = await openSandbox();

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
  const memory: number[] = [];
  const result = await sandbox.run(directory, {
    onProgress: (...update) => updates.push(update),
    onMemory: (bytes) => memory.push(bytes),
  });

  assert.ok(result.ok, JSON.stringify(result));
  const model = await readFile(join(directory, 'out/model.glb'));
  assert.equal(model.toString('latin1', 0, 4), 'glTF');
  assert.equal(result.report.before.bytes, makeBox({ textured: true }).length);
  assert.equal(result.report.before.materials, 1);
  assert.deepEqual(result.report.bounds, { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] });
  assert.ok(result.report.steps.some(({ name }) => name === 'read'));
  assert.deepEqual(updates[0], ['read', 0]);
  // Node itself uses 40 MB, the libraries as much again.
  const peakBytes = Math.max(...memory);
  assert.ok(peakBytes > 60 * MIB && peakBytes < 1024 * MIB, `${peakBytes} bytes`);
  const percents = updates.map(([, percent]) => percent);
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
  );
});

it('the memory of a worker is its own, not that of the service', async (t) => {
  const ofService = Buffer.alloc(600 * MIB, 1);
  for (const level of ['reduced', 'auto'] as const) {
    const directory = await openTemporaryDirectory(t);
    await writeFile(join(directory, 'source'), makeBox());
    const job: WorkerJob = { detectedFormat: { format: 'glb' }, options: {} };
    await writeFile(join(directory, 'job.json'), JSON.stringify(job));
    const memory: number[] = [];
    const { run } = await openSandbox({ level });
    const result = await run(directory, { onMemory: (bytes) => memory.push(bytes) });
    assert.ok(result.ok, JSON.stringify(result));
    const peakBytes = Math.max(...memory);
    assert.ok(peakBytes > 60 * MIB && peakBytes < ofService.length, `${level}: ${peakBytes} bytes`);
  }
});

it('a worker has the flags of its format', async (t) => {
  const script = `import { Problem } from ${JSON.stringify(import.meta.resolve('@cloche/contract/problem'))};
    import { runJob } from ${RUN_JOB};
    await runJob(() => { throw new Problem('design.unreadable', { detail: process.execArgv.at(-1) }); });`;
  const result = await runScript(t, script, { workerFlags: ['--wasm-tiering-budget=7'] });
  assert.ok(!result.ok && result.detail === '--wasm-tiering-budget=7', JSON.stringify(result));
});

it('a worker sends the preview of large images on its own', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await writeFile(join(directory, 'source'), await makeFlatModel());
  const job: WorkerJob = { detectedFormat: { format: 'glb' }, options: {} };
  await writeFile(join(directory, 'job.json'), JSON.stringify(job));
  const events: string[] = [];
  const result = await sandbox.run(directory, {
    onProgress: (step) => events.push(step),
    onPreview: (path) => events.push(basename(path), readFileSync(path, 'latin1').slice(0, 4)),
  });

  assert.ok(result.ok, JSON.stringify(result));
  const [name, magic] = events.slice(events.indexOf('preview.glb'));
  assert.deepEqual([name, magic], ['preview.glb', 'glTF']);
  // The image has one color, so the model is small.
  assert.equal(result.report.previewUnused, true);
});

/** A model with an uncompressed image of one color, of 5.9 MB. */
async function makeFlatModel(): Promise<Buffer> {
  const create = { width: 1400, height: 1400, channels: 3, background: '#4080c0' } as const;
  const png = await sharp({ create }).png({ compressionLevel: 0 }).toBuffer();
  const document = await makeTexturedDocument(new Uint8Array(png));
  return Buffer.from(await new WebIO().writeBinary(document));
}

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
  assert.deepEqual(results, new Array(8).fill(DENIED));
  assert.equal(await readFile(target, 'utf8'), 'unchanged');
});

it('a worker can start no process and no thread, even without our own restrictions', async (t) => {
  const isolation = await detectReducedIsolation({ directories: [] });
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
  assert.equal(output, `${DENIED},${DENIED}`);
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
      `import { runJob } from ${RUN_JOB};
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
    `import { runJob } from ${RUN_JOB};
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

it('the sandbox removes the results of an earlier attempt', async (t) => {
  const directory = await createJobDirectory(t, '');
  await mkdir(join(directory, 'out/model.glb'), { recursive: true });
  const result = await limitedSandbox.run(directory);
  assert.ok(!result.ok && /report.json is missing/.test(result.detail));
});
