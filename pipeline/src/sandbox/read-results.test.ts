import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { InvalidResultError, readWorkerRejection, readWorkerReport } from './read-results.ts';

const counts = {
  ...{ triangles: 12, vertices: 24, nodes: 1, meshes: 1 },
  ...{ materials: 1, textures: 0, animations: 0, variants: 0 },
};
const report = { before: counts, steps: [{ name: 'read', ms: 3 }], warnings: [] };

/** A job's folder with what a child may leave: a report, and a model. */
async function createResultFolder(t: TestContext, value: unknown = report): Promise<string> {
  const folder = await openTemporaryDirectory(t);
  await mkdir(join(folder, 'out'));
  await writeFile(join(folder, 'in'), 'upload');
  await writeFile(
    join(folder, 'out/report.json'),
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  await writeFile(join(folder, 'out/model.glb'), 'glb');
  return folder;
}

async function assertInvalid(reading: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(
    reading,
    (error) => error instanceof InvalidResultError && message.test(error.message),
  );
}

it('reads a report, and counts the bytes itself', async (t) => {
  const folder = await createResultFolder(t);
  assert.deepEqual(await readWorkerReport(folder, 100), {
    ...report,
    before: { bytes: 6, ...counts },
  });
});

it('makes the words of warnings fit to be shown', async (t) => {
  const message = 'No\u202e texture\n\x1b[31m“red”';
  const folder = await createResultFolder(t, {
    ...report,
    warnings: [{ code: 'texture.missing', message }],
  });
  const { warnings } = await readWorkerReport(folder, 100);
  assert.deepEqual(warnings, [{ code: 'texture.missing', message: 'No texture [31m“red”' }]);
});

it('refuses a report that is not exactly one', async (t) => {
  const spoilt: [unknown, RegExp][] = [
    ['', /not JSON/],
    ['{', /not JSON/],
    [`{"before":${'['.repeat(5000)}`, /not JSON/],
    [{}, /schema/],
    [{ ...report, more: 1 }, /schema/],
    [{ ...report, before: { ...counts, triangles: -1 } }, /schema/],
    [{ ...report, before: { ...counts, triangles: '12' } }, /schema/],
    [{ ...report, before: { ...counts, bounds: {} } }, /schema/],
    [{ ...report, steps: [{ name: 'dance', ms: 1 }] }, /schema/],
    [{ ...report, steps: new Array(101).fill(report.steps[0]) }, /schema/],
    [{ ...report, warnings: [{ code: 'A b', message: '' }] }, /schema/],
    [{ ...report, warnings: [{ code: 'a', message: 'x'.repeat(2001) }] }, /schema/],
    [`{"__proto__":{},${JSON.stringify(report).slice(1)}`, /schema/],
    [' '.repeat(1024 * 1024 + 1), /of 1048577 bytes/],
  ];
  for (const [value, message] of spoilt) {
    await assertInvalid(readWorkerReport(await createResultFolder(t, value), 100), message);
  }
});

it('refuses what is not a regular file of a bounded size', async (t) => {
  const canary = join(await openTemporaryDirectory(t), 'canary');
  await writeFile(canary, JSON.stringify(report));
  const make: [(path: string) => unknown, RegExp][] = [
    [() => {}, /missing/],
    [(path) => symlink(canary, path), /is a link/],
    [(path) => mkdir(path), /is no file/],
    [(path) => execFileSync('mkfifo', [path]), /is no file/],
    [(path) => writeFile(path, '').then(() => truncate(path, 2 ** 21)), /of 2097152 bytes/],
  ];
  for (const name of ['report.json', 'model.glb', 'preview.glb']) {
    for (const [put, message] of make) {
      if (name === 'preview.glb' && message.test('missing')) continue;
      const folder = await createResultFolder(t);
      await rm(join(folder, 'out', name), { force: true });
      await put(join(folder, 'out', name));
      await assertInvalid(readWorkerReport(folder, 100), message);
    }
  }
});

it('lets a child speak of its design only', async (t) => {
  const say = async (failure: unknown) => {
    const folder = await createResultFolder(t);
    await writeFile(join(folder, 'out/failure.json'), JSON.stringify(failure));
    return readWorkerRejection(folder);
  };
  assert.deepEqual(await say({ code: 'design.unreadable', detail: 'Line 3\r\nis <b>.' }), {
    code: 'design.unreadable',
    detail: 'Line 3 is <b>.',
  });
  const { detail } = await say({ code: 'design.unreadable', detail: '\0' });
  assert.equal(detail, 'The file is damaged, or not valid in its format.');
  await assertInvalid(say({ code: 'token.revoked', detail: '' }), /may say/);
  await assertInvalid(say({ code: 'toString', detail: '' }), /may say/);
  await assertInvalid(say({ code: 'design.unreadable' }), /schema/);
});
