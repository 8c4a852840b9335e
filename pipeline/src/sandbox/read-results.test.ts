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
const report = { before: counts, steps: [{ name: 'read', durationMs: 3 }], warnings: [] };

/** Creates a job directory with the results of a worker: a report and a model. */
async function createJobDirectory(t: TestContext, value: unknown = report): Promise<string> {
  const directory = await openTemporaryDirectory(t);
  await mkdir(join(directory, 'out'));
  await writeFile(join(directory, 'source'), 'upload');
  await writeFile(
    join(directory, 'out/report.json'),
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  await writeFile(join(directory, 'out/model.glb'), 'glb');
  return directory;
}

async function assertInvalid(result: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(
    result,
    (error) => error instanceof InvalidResultError && message.test(error.message),
  );
}

it('reads a report and adds the size of the source file', async (t) => {
  const directory = await createJobDirectory(t);
  assert.deepEqual(await readWorkerReport(directory, 100), {
    ...report,
    before: { bytes: 6, ...counts },
  });
});

it('sanitizes the messages of warnings', async (t) => {
  const message = 'No\u202e texture\n\x1b[31m“red”';
  const directory = await createJobDirectory(t, {
    ...report,
    warnings: [{ code: 'texture.missing', message }],
  });
  const { warnings } = await readWorkerReport(directory, 100);
  assert.deepEqual(warnings, [{ code: 'texture.missing', message: 'No texture [31m“red”' }]);
});

const pack = { size: 512, imageSize: 512, pixels: 512 ** 2 };

it('rejects a report that does not match its schema', async (t) => {
  const invalid: [unknown, RegExp][] = [
    ['', /not JSON/],
    ['{', /not JSON/],
    [`{"before":${'['.repeat(5000)}`, /not JSON/],
    [{}, /schema/],
    [{ ...report, more: 1 }, /schema/],
    [{ ...report, before: { ...counts, triangles: -1 } }, /schema/],
    [{ ...report, before: { ...counts, triangles: '12' } }, /schema/],
    [{ ...report, before: { ...counts, bounds: {} } }, /schema/],
    [{ ...report, levels: { geometries: [], texturePacks: [] } }, /schema/],
    [{ ...report, levels: { geometries: [{ maxSize: 0 }], texturePacks: [] } }, /schema/],
    [{ ...report, levels: { geometries: [{ triangles: 1 }], texturePacks: [] } }, /schema/],
    [{ ...report, levels: { geometries: [{}], texturePacks: [pack, pack] } }, /same size/],
    [
      { ...report, levels: { geometries: [{}], texturePacks: [{ ...pack, size: '../a' }] } },
      /schema/,
    ],
    [{ ...report, levels: { geometries: [{}], texturePacks: [{ size: 512 }] } }, /schema/],
    [{ ...report, levels: { geometries: [{}], texturePacks: [], uvPerMeter: 0 } }, /schema/],
    [{ ...report, steps: [{ name: 'dance', durationMs: 1 }] }, /schema/],
    [{ ...report, steps: new Array(101).fill(report.steps[0]) }, /schema/],
    [{ ...report, warnings: [{ code: 'A b', message: '' }] }, /schema/],
    [{ ...report, warnings: [{ code: 'a', message: 'x'.repeat(2001) }] }, /schema/],
    [`{"__proto__":{},${JSON.stringify(report).slice(1)}`, /schema/],
    [' '.repeat(1024 * 1024 + 1), /has 1048577 bytes/],
  ];
  for (const [value, message] of invalid) {
    await assertInvalid(readWorkerReport(await createJobDirectory(t, value), 100), message);
  }
});

it('rejects what is not a regular file within its size limit', async (t) => {
  const canary = join(await openTemporaryDirectory(t), 'canary');
  await writeFile(canary, JSON.stringify(report));
  const cases: [(path: string) => unknown, RegExp][] = [
    [() => {}, /missing/],
    [(path) => symlink(canary, path), /is a link/],
    [(path) => mkdir(path), /is not a regular file/],
    [(path) => execFileSync('mkfifo', [path]), /is not a regular file/],
    [(path) => writeFile(path, '').then(() => truncate(path, 2 ** 21)), /has 2097152 bytes/],
  ];
  const levels = { geometries: [{}], texturePacks: [pack] };
  const levelFiles = ['geometry-0.glb', 'textures-512.glb'];
  for (const name of ['report.json', 'model.glb', 'preview.glb', ...levelFiles]) {
    for (const [create, message] of cases) {
      if (name === 'preview.glb' && message.test('missing')) continue;
      const directory = await createJobDirectory(t, { ...report, levels });
      for (const file of levelFiles) await writeFile(join(directory, 'out', file), 'glb');
      await rm(join(directory, 'out', name), { force: true });
      await create(join(directory, 'out', name));
      await assertInvalid(readWorkerReport(directory, 100), message);
    }
  }
});

it('accepts only problem codes that are about the design', async (t) => {
  const readRejection = async (rejection: unknown) => {
    const directory = await createJobDirectory(t);
    await writeFile(join(directory, 'out/rejection.json'), JSON.stringify(rejection));
    return readWorkerRejection(directory);
  };
  assert.deepEqual(
    await readRejection({ code: 'design.unreadable', detail: 'Line 3\r\nis <b>.' }),
    {
      code: 'design.unreadable',
      detail: 'Line 3 is <b>.',
    },
  );
  const { detail } = await readRejection({ code: 'design.unreadable', detail: '\0' });
  assert.equal(detail, 'The file is damaged, or not valid in its format.');
  await assertInvalid(readRejection({ code: 'token.revoked', detail: '' }), /may not use/);
  await assertInvalid(readRejection({ code: 'toString', detail: '' }), /may not use/);
  await assertInvalid(readRejection({ code: 'design.unreadable' }), /schema/);
});
