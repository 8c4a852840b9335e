import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Problem } from '@cloche/contract/problem';
import { makeZip } from '../../testing/formats/zip.ts';
import { makeBox, makeGlb } from '../../testing/models.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { openValidationWorker, type ValidationPurpose } from './validation-worker.ts';

const THREAD = join(import.meta.dirname, 'validation-worker-thread.ts');
const SHARP_PACKAGE = `@img/sharp-${process.platform}-${process.arch}/sharp.node`;
const [SHARP_ADDON] = globSync(
  join(createRequire(import.meta.resolve('sharp')).resolve(SHARP_PACKAGE), '../lib/*.node'),
);

const UPLOAD = { kind: 'upload', userId: 'usr_1' } as const;

describe('a validation worker', () => {
  it('returns the result of validateModel', async (t) => {
    await using worker = openValidationWorker();
    const { detectedFormat, stats } = await worker.validate(
      await writeTemporaryFile(t, makeBox()),
      UPLOAD,
    );
    assert.deepEqual([detectedFormat.format, stats?.triangles], ['glb', 12]);
  });

  it('passes on the code, the reason and the message of a problem', async (t) => {
    await using worker = openValidationWorker();
    const png = await writeTemporaryFile(t, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    await assert.rejects(worker.validate(png, UPLOAD), (error) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual([error.code, error.reason], ['design.unsupported', 'png']);
      assert.match(error.message, /^This looks like a PNG image/);
      return true;
    });
  });

  it('validates files one after the other', async (t) => {
    await using worker = openValidationWorker();
    const paths = [
      await writeTemporaryFile(t, makeBox()),
      await writeTemporaryFile(t, Buffer.from('?')),
      await writeTemporaryFile(t, makeBox()),
    ];
    const outcomes = await Promise.allSettled(paths.map((path) => worker.validate(path, UPLOAD)));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('validates a small file and an artifact while archives are validated', async (t) => {
    await using worker = openValidationWorker();
    const archive = await writeTemporaryFile(t, makeLargeArchive());
    const small = await writeTemporaryFile(t, makeBox());
    const finished: string[] = [];
    const validate = async (name: string, path: string, purpose: ValidationPurpose) => {
      await worker.validate(path, purpose);
      finished.push(name);
    };
    // Starts the threads.
    const purposes = [UPLOAD, { kind: 'artifact' }] as const;
    await Promise.all(purposes.map((purpose) => worker.validate(small, purpose)));
    await Promise.all([
      validate('archive', archive, UPLOAD),
      validate('archive', archive, UPLOAD),
      validate('archive', archive, UPLOAD),
      validate('other', archive, { kind: 'upload', userId: 'usr_2' }),
      validate('small', small, UPLOAD),
      validate('artifact', small, { kind: 'artifact' }),
    ]);
    assert.deepEqual(finished.slice(0, 2).sort(), ['artifact', 'small']);
    assert.ok(finished.slice(2, 4).includes('other'), 'users are served in turn');
  });

  it('limits how many files of a user wait', async (t) => {
    await using worker = openValidationWorker({ maxWaitingPerUser: 2 });
    const path = await writeTemporaryFile(t, makeLargeArchive());
    const small = await writeTemporaryFile(t, makeBox());
    const outcomes = Promise.allSettled([1, 2, 3, 4].map(() => worker.validate(path, UPLOAD)));
    assert.ok((await worker.validate(small, { kind: 'upload', userId: 'usr_2' })).stats);
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    // One is validated while two wait.
    assert.equal(refused.length, 1);
    assert.equal((refused[0] as PromiseRejectedResult).reason.code, 'server.busy');
  });

  it('refuses a file that takes too much memory, then validates the next one', async (t) => {
    await using worker = openValidationWorker({ heapMb: 24 });
    const manyValues = makeGlb({
      json: `{"asset":{"version":"2.0"},"extras":[${'{},'.repeat(9e5)}0]}`,
    });
    const problem = { code: 'design.too-complex', reason: 'memory' };
    await assert.rejects(worker.validate(await writeTemporaryFile(t, manyValues), UPLOAD), problem);
    assert.ok((await worker.validate(await writeTemporaryFile(t, makeBox()), UPLOAD)).stats);
  });

  it('refuses a file that takes too much time', async (t) => {
    await using worker = openValidationWorker({ timeoutMs: 1 });
    const problem = { code: 'design.too-complex', reason: 'time' };
    await assert.rejects(worker.validate(await writeTemporaryFile(t, makeBox()), UPLOAD), problem);
  });

  it('throws server.failed if the file does not exist', async () => {
    await using worker = openValidationWorker();
    await assert.rejects(worker.validate('/does/not/exist', UPLOAD), { code: 'server.failed' });
  });

  it('refuses the current and all further files when it is closed', async (t) => {
    const worker = openValidationWorker();
    const path = await writeTemporaryFile(t, makeBox());
    const rejection = assert.rejects(worker.validate(path, UPLOAD), { code: 'server.unavailable' });
    await worker[Symbol.asyncDispose]();
    await rejection;
    await assert.rejects(worker.validate(path, UPLOAD), { code: 'server.unavailable' });
  });

  it('cannot harm the service with what its thread may do', async (t) => {
    const directory = await openTemporaryDirectory(t);
    const target = JSON.stringify(join(directory, 'target'));
    const attacks = [
      `const { DatabaseSync } = await import('node:sqlite'); new DatabaseSync(${target}).close();`,
      `const { DatabaseSync } = process.getBuiltinModule('node:sqlite'); new DatabaseSync(${target}).close();`,
      `const { writeFileSync } = await import('node:fs'); writeFileSync(${target}, '');`,
      `const { writeFile } = await import('node:fs/promises'); await writeFile(${target}, '');`,
      `const { open } = await import('node:fs/promises'); await (await open(${target}, 'w')).close();`,
      `const { readFileSync } = await import('node:fs'); readFileSync('/etc/passwd');`,
      `const { spawnSync } = await import('node:child_process'); spawnSync('/bin/true');`,
      `const { Worker } = await import('node:worker_threads'); new Worker('0', { eval: true });`,
      `const { createServer } = await import('node:net'); createServer();`,
      `const { createSocket } = await import('node:dgram'); createSocket('udp4').close();`,
      `const { setPriority } = await import('node:os'); setPriority(process.pid, 5);`,
      `process.kill(process.pid, 0);`,
      `process.binding('fs');`,
      `process.dlopen({ exports: {} }, ${JSON.stringify(SHARP_ADDON)});`,
      `if (fetch === undefined) throw Object.assign(new Error(), { code: 'ERR_ACCESS_DENIED' });`,
    ];
    for (const attack of attacks) {
      assert.equal(await runInThread(t, attack, 'unrestricted'), 'done', attack);
      await rm(join(directory, 'target'), { force: true });
      assert.equal(await runInThread(t, attack, 'validation'), 'ERR_ACCESS_DENIED', attack);
      assert.ok(!existsSync(join(directory, 'target')), attack);
    }
  });

  it('does not keep the process alive', async (t) => {
    const path = await writeTemporaryFile(t, makeBox());
    const module = JSON.stringify(join(import.meta.dirname, 'validation-worker.ts'));
    const script = `import { openValidationWorker } from ${module};
      const { detectedFormat } = await openValidationWorker().validate(${JSON.stringify(path)}, ${JSON.stringify(UPLOAD)});
      console.log(detectedFormat.format);`;
    const { stdout, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { timeout: 120_000, encoding: 'utf8' },
    );
    assert.deepEqual([stdout, status], ['glb\n', 0]);
  });
});

/** Runs code in a thread of its own or in that of the validation, after its start. */
async function runInThread(
  t: TestContext,
  code: string,
  kind: 'unrestricted' | 'validation',
): Promise<string> {
  const script = join(await openTemporaryDirectory(t), 'attack.mjs');
  await writeFile(
    script,
    `const { parentPort } = await import('node:worker_threads');
    const attack = async () => { ${code} };
    parentPort.on('message', async (message) => {
      if (message !== 'attack') return;
      const outcome = await attack().then(() => 'done', (error) => error.code ?? String(error));
      parentPort.postMessage(outcome);
    });`,
  );
  const worker =
    kind === 'validation'
      ? new Worker(THREAD, { execArgv: ['--import', script], stderr: true })
      : new Worker(script);
  t.after(() => worker.terminate());
  if (kind === 'validation') {
    // The thread has started when it replies.
    worker.postMessage('/does/not/exist');
    await once(worker, 'message');
  }
  worker.postMessage('attack');
  for await (const [reply] of on(worker, 'message')) {
    if (typeof reply === 'string') return reply;
  }
  return assert.fail();
}

/** An archive whose validation takes some hundred times as long as that of a box. */
function makeLargeArchive(): Buffer {
  const face = '1 2 3';
  const vertices = Array.from({ length: 150_000 }, (_, index) => `v ${index} ${index % 7} 0`);
  return makeZip({ 'model.obj': `${vertices.join('\n')}\n${`f ${face}\n`.repeat(150_000)}` });
}

async function writeTemporaryFile(t: TestContext, bytes: Buffer): Promise<string> {
  const path = join(await openTemporaryDirectory(t), 'source');
  await writeFile(path, bytes);
  return path;
}
