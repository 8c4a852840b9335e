import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { makeBox } from '../../testing/models.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import type { WorkerResult } from '../model-processor.ts';
import type { StepName } from '../processing-steps.ts';
import { openSandbox, type SandboxRunOptions } from './sandbox.ts';

const MIB = 1024 * 1024;
const RUN_JOB = join(import.meta.dirname, 'worker/run-job.ts');
const SHARP_URL = import.meta.resolve('sharp');

const sandbox = await openSandbox();
/** Runs `worker.ts` of each folder, within bounds that are soon reached. */
const limitedSandbox = await openSandbox({
  entryPoint: 'worker.ts',
  memoryBytes: 1024 * MIB,
  heapBytes: 100 * MIB,
  fileBytes: MIB,
  timeoutMs: 30_000,
});

/** A job's folder with a program of our own in the child's place. */
async function createJobDirectory(t: TestContext, script: string): Promise<string> {
  const folder = await openTemporaryDirectory(t);
  await writeFile(join(folder, 'worker.ts'), script);
  return folder;
}

async function runScript(
  t: TestContext,
  script: string,
  options?: SandboxRunOptions,
): Promise<WorkerResult> {
  return limitedSandbox.run(await createJobDirectory(t, script), options);
}

/** Runs a function inside and gets its result out, by the only words a child has. */
async function evaluate(t: TestContext, work: string): Promise<unknown> {
  const outcome = await runScript(
    t,
    `import { writeFileSync } from 'node:fs';
    const attempt = async (work) => {
      try { await work(); return 'done'; } catch (error) { return error.code ?? String(error); }
    };
    const found = await (${work})(attempt);
    const detail = JSON.stringify(found);
    writeFileSync('out/failure.json', JSON.stringify({ code: 'design.unreadable', detail }));
    process.exit(2);`,
  );
  assert.ok(!outcome.ok && outcome.code === 'design.unreadable', JSON.stringify(outcome));
  return JSON.parse(outcome.detail);
}

it('makes a model, tells how far it is, and reports', async (t) => {
  const folder = await openTemporaryDirectory(t);
  await writeFile(join(folder, 'in'), makeBox({ textured: true }));
  const task = { detectedFormat: { format: 'glb' }, options: {} };
  await writeFile(join(folder, 'task.json'), JSON.stringify(task));
  const told: [StepName, number][] = [];
  const outcome = await sandbox.run(folder, { onProgress: (...now) => told.push(now) });

  assert.ok(outcome.ok, JSON.stringify(outcome));
  const model = await readFile(join(folder, 'out/model.glb'));
  assert.equal(model.toString('latin1', 0, 4), 'glTF');
  assert.equal(outcome.report.before.bytes, makeBox({ textured: true }).length);
  assert.equal(outcome.report.before.materials, 1);
  assert.ok(outcome.report.steps.some(({ name }) => name === 'read'));
  assert.deepEqual(told[0], ['read', 0]);
  const percents = told.map(([, percent]) => percent);
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
  );
});

it('hears why a design is refused, and tries no more', async (t) => {
  const outcome = await runScript(
    t,
    `import { Problem } from ${JSON.stringify(import.meta.resolve('@cloche/contract/problem'))};
    import { runJob } from ${JSON.stringify(RUN_JOB)};
    await runJob(async () => {
      throw new Problem('design.unreadable', { detail: 'Line 3 ends too soon.' });
    });`,
  );
  const detail = 'Line 3 ends too soon.';
  assert.deepEqual(outcome, { ok: false, code: 'design.unreadable', detail, retryable: false });
});

it('reads nothing but its code and its folder', async (t) => {
  const canary = join(await openTemporaryDirectory(t), 'canary.mjs');
  await writeFile(canary, 'export const secret = true;');
  const found = await evaluate(
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
  assert.deepEqual(found, [...new Array(6).fill('ERR_ACCESS_DENIED'), 'done']);
});

it('writes nothing but to its out', async (t) => {
  const target = join(await openTemporaryDirectory(t), 'target');
  await writeFile(target, 'as it was');
  const found = await evaluate(
    t,
    `async (attempt) => {
      const fs = await import('node:fs');
      return [
        await attempt(() => fs.writeFileSync(${JSON.stringify(target)}, 'spoilt')),
        await attempt(() => fs.writeFileSync('in', 'spoilt')),
        await attempt(() => fs.writeFileSync('out/../task.json', '{}')),
        await attempt(() => fs.writeFileSync('/dev/shm/cloche-target', 'spoilt')),
        await attempt(() => fs.symlinkSync(${JSON.stringify(target)}, 'out/model.glb')),
        await attempt(() => fs.linkSync(${JSON.stringify(target)}, 'out/model.glb')),
        await attempt(() => fs.rmSync(${JSON.stringify(target)})),
        await attempt(() => fs.writeFileSync('out/model.glb', 'fine')),
      ];
    }`,
  );
  assert.deepEqual(found, [...new Array(7).fill('ERR_ACCESS_DENIED'), 'done']);
  assert.equal(await readFile(target, 'utf8'), 'as it was');
});

it('starts no process and no thread', async (t) => {
  const found = await evaluate(
    t,
    `async (attempt) => {
      const { spawnSync } = await import('node:child_process');
      const { Worker } = await import('node:worker_threads');
      return [
        await attempt(() => spawnSync('/bin/true')),
        await attempt(() => new Worker('0', { eval: true })),
      ];
    }`,
  );
  assert.deepEqual(found, ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
});

it('reaches no network, where the system can do that', async (t) => {
  if (!limitedSandbox.blocksNetwork) return t.skip('unshare -n does not work here');
  const listener = createServer(() => assert.fail('the canary was reached')).listen(0, '127.0.0.1');
  t.after(() => listener.close());
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const found = await evaluate(
    t,
    `async () => {
      const { connect } = await import('node:net');
      return new Promise((resolve) => {
        connect(${port}, '127.0.0.1')
          .on('connect', () => resolve('connected'))
          .on('error', ({ code }) => resolve(code));
      });
    }`,
  );
  assert.equal(found, 'ENETUNREACH');
});

it('is told nothing of its surroundings', async (t) => {
  process.env.CLOCHE_CANARY = 'a secret';
  t.after(() => delete process.env.CLOCHE_CANARY);
  assert.deepEqual(await evaluate(t, 'async () => process.env'), {});
});

it('takes no more memory than it may, of whatever kind', async (t) => {
  const kinds: Record<string, string> = {
    'many buffers': 'for (let at = 0; at < 48; at++) kept.push(Buffer.alloc(64 * MIB, 1));',
    'one buffer': 'kept.push(Buffer.alloc(3072 * MIB, 1));',
    'shared memory': 'kept.push(new Uint8Array(new SharedArrayBuffer(3072 * MIB)).fill(1));',
    webassembly: `const memory = new WebAssembly.Memory({ initial: 1 });
      for (let at = 0; at < 48; at++) {
        memory.grow(1024);
        new Uint8Array(memory.buffer).fill(1);
      }`,
    objects: 'for (let at = 0; ; at++) kept.push({ at });',
    pictures: `const { default: sharp } = await import(${JSON.stringify(SHARP_URL)});
      const create = { width: 28_000, height: 28_000, channels: 4, background: 'red' };
      kept.push(await sharp({ create, limitInputPixels: false }).rotate(33).raw().toBuffer());`,
  };
  for (const [kind, work] of Object.entries(kinds)) {
    const outcome = await runScript(
      t,
      `import { runJob } from ${JSON.stringify(RUN_JOB)};
      const MIB = 1024 * 1024;
      const kept = [];
      await runJob(async () => { ${work} });`,
    );
    assert.ok(!outcome.ok, kind);
    assert.equal(outcome.code, 'design.too-complex', `${kind}: ${outcome.detail}`);
    assert.match(outcome.detail, /more memory/, kind);
    assert.equal(outcome.retryable, false);
  }
});

it('tidies up before its heap is too large', async (t) => {
  const limit = await evaluate(
    t,
    `async () => (await import('node:v8')).getHeapStatistics().heap_size_limit`,
  );
  assert.ok(Number(limit) < 200 * MIB, `${limit}`);
});

it('fills no disk', async (t) => {
  const folder = await createJobDirectory(
    t,
    `import { writeFile } from 'node:fs/promises';
    import { runJob } from ${JSON.stringify(RUN_JOB)};
    await runJob(() => writeFile('out/model.glb', Buffer.alloc(64 * 1024 * 1024)));`,
  );
  const outcome = await limitedSandbox.run(folder);
  assert.ok(!outcome.ok && !outcome.retryable);
  assert.equal(outcome.code, 'design.too-complex');
  assert.equal((await readFile(join(folder, 'out/model.glb'))).length, MIB);
});

it('is tried again when the disk is full', async (t) => {
  const outcome = await runScript(
    t,
    `import { runJob } from ${JSON.stringify(RUN_JOB)};
    const facts = { code: 'ENOSPC', syscall: 'write' };
    await runJob(async () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), facts);
    });`,
  );
  assert.ok(!outcome.ok && outcome.retryable);
  assert.equal(outcome.code, 'server.storage-full');
});

it('is ended when it takes too long', async (t) => {
  const outcome = await runScript(t, 'for (;;);', { timeoutMs: 500 });
  assert.deepEqual(outcome, {
    ok: false,
    code: 'design.too-complex',
    detail: 'The file needs more than 1 s to be made fit for the web.',
    retryable: false,
  });
});

it('is ended when it is no longer wanted', async (t) => {
  const stop = new AbortController();
  const script = `import { writeSync } from 'node:fs';
    writeSync(3, '{"step":"read","percent":0}\\n');
    for (;;);`;
  const outcome = await runScript(t, script, {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  assert.ok(!outcome.ok && outcome.retryable);
  assert.equal(outcome.code, 'server.unavailable');
  const late = await runScript(t, 'for (;;);', { signal: AbortSignal.abort() });
  assert.ok(!late.ok && late.retryable);
});

it('is tried again after a crash that nothing explains', async (t) => {
  const crashes: [string, RegExp][] = [
    [`process.kill(process.pid, 'SIGSEGV'); for (;;);`, /SIGSEGV/],
    [`process.kill(process.pid, 'SIGKILL'); for (;;);`, /SIGKILL/],
    [`throw new TypeError('undefined is not a function')`, /exit code 1/],
    ['', /report.json is missing/],
    ['process.exit(2)', /failure.json is missing/],
  ];
  for (const [script, detail] of crashes) {
    const outcome = await runScript(t, script);
    assert.ok(!outcome.ok && outcome.retryable, script);
    assert.equal(outcome.code, 'server.failed');
    assert.match(outcome.detail, detail);
  }
});

it('finds nothing of an earlier try', async (t) => {
  const folder = await createJobDirectory(t, '');
  await mkdir(join(folder, 'out/model.glb'), { recursive: true });
  const outcome = await limitedSandbox.run(folder);
  assert.ok(!outcome.ok && /report.json is missing/.test(outcome.detail));
});
