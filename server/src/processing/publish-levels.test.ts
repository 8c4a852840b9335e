import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox, makeGridGlb } from '@cloche/pipeline/testing/models';
import { fetchFramedDocument } from '../../testing/design-requests.ts';
import { passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

/** Boxes of different sizes stand for the levels: the server does not distinguish their content. */
const [GEOMETRY, SMALL_PACK, LARGE_PACK] = [1, 2, 3].map((size) => makeBox({ size })) as [
  Buffer,
  Buffer,
  Buffer,
];
const SIMPLIFIED = makeGridGlb(2);
const FILES = {
  'geometry-0.glb': GEOMETRY,
  'textures-512.glb': SMALL_PACK,
  'textures-1024.glb': LARGE_PACK,
};
const LEVELS = {
  geometries: [{ maxSize: 640 }],
  texturePacks: [
    { size: 512, imageSize: 512, pixels: 300_000 },
    { size: 1024, imageSize: 4096, pixels: 17_000_000 },
  ],
  uvPerMeter: 2.5,
};

async function uploadWithLevels(
  t: TestContext,
  {
    files = FILES as Record<string, Buffer>,
    levels = LEVELS,
    posterRenderer = undefined as PosterRenderer | undefined,
  } = {},
) {
  const modelProcessor: ModelProcessor = {
    async run(directory, options) {
      const result = await passthroughProcessor.run(directory, options);
      for (const [name, bytes] of Object.entries(files))
        await writeFile(join(directory, 'out', name), bytes);
      return result.ok ? { ...result, report: { ...result.report, levels } } : result;
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor, posterRenderer } });
  return { service, design: await uploadTestDesign(service, 'chair') };
}

test('the report has the sizes of the levels, and the config their files', async (t) => {
  const { service, design } = await uploadWithLevels(t);
  assert.deepEqual(design.report?.levels, {
    geometries: [{ triangles: 12, maxSize: 640, bytes: GEOMETRY.length }],
    textures: [
      { size: 512, imageSize: 512, pixels: 300_000, bytes: SMALL_PACK.length },
      { size: 1024, imageSize: 4096, pixels: 17_000_000, bytes: LARGE_PACK.length },
    ],
    uvPerMeter: 2.5,
  });
  const { viewerConfig } = await fetchFramedDocument(service, design.id);
  const { geometries, textures, uvPerMeter } = viewerConfig.levels;
  assert.equal(uvPerMeter, 2.5);
  assert.equal('maxSize' in geometries[0], false, 'it is the whole model');
  assert.deepEqual(
    textures.map(({ url, bytes, ...description }: { url: string; bytes: number }) => description),
    [{ size: 512 }, LEVELS.texturePacks[1]],
    'without what the viewer does not need',
  );
  const load = (url: string, grant = viewerConfig.grant) =>
    service.app.inject({ url, headers: { ...HOST_HEADER, 'cloche-grant': grant } });
  assert.deepEqual((await load(geometries[0].url)).rawPayload, GEOMETRY);
  assert.deepEqual((await load(textures[0].url)).rawPayload, SMALL_PACK);
  assert.deepEqual((await load(textures[1].url)).rawPayload, LARGE_PACK);
  assert.equal((await load(textures[0].url, 'forged')).statusCode, 403);
});

test('each geometry but the whole model has the size up to which it looks like it, as the worker says or estimated', async (t) => {
  const cases: [described: { maxSize?: number }, maxSize: number][] = [
    [{ maxSize: 640 }, 640],
    [{}, 2],
  ];
  for (const [described, maxSize] of cases) {
    const { service, design } = await uploadWithLevels(t, {
      files: { ...FILES, 'geometry-0.glb': SIMPLIFIED, 'geometry-1.glb': GEOMETRY },
      levels: { ...LEVELS, geometries: [described, {}] } as never,
    });
    const { viewerConfig } = await fetchFramedDocument(service, design.id);
    assert.deepEqual(
      viewerConfig.levels.geometries.map((each: { maxSize?: number }) => each.maxSize),
      [maxSize, undefined],
    );
    assert.deepEqual(
      design.report?.levels?.geometries.map((each) => each.maxSize),
      [described.maxSize, undefined],
    );
  }
});

test('without texture packs, the model is the largest geometry', async (t) => {
  const { service, design } = await uploadWithLevels(t, {
    files: { 'geometry-0.glb': SIMPLIFIED },
    levels: { geometries: [{}], texturePacks: [] } as never,
  });
  const { stats } = design;
  assert.deepEqual(design.report?.levels, {
    geometries: [
      { triangles: 2, bytes: SIMPLIFIED.length },
      { triangles: stats?.triangles, bytes: stats?.bytes },
    ],
    textures: [],
  });
  const { viewerConfig } = await fetchFramedDocument(service, design.id);
  const { geometries, textures } = viewerConfig.levels;
  assert.deepEqual(textures, []);
  assert.deepEqual(
    geometries.map(({ triangles }: { triangles: number }) => triangles),
    [2, stats?.triangles],
  );
  assert.deepEqual([geometries[0].maxSize, geometries[1].maxSize], [2, undefined]);
  assert.equal(geometries[1].url, viewerConfig.model.url);
});

test('the poster is rendered with the levels, whose files are in the directory of the worker', async (t) => {
  let files: unknown[] = [];
  const posterRenderer: PosterRenderer = {
    async render({ levels }) {
      const { directory, ...described } = levels ?? assert.fail('no levels');
      files = [described, ...(await readdir(directory)).sort()];
      throw new Error('No poster.');
    },
  };
  await uploadWithLevels(t, { posterRenderer });
  assert.deepEqual(files, [LEVELS, ...[...Object.keys(FILES), 'model.glb'].sort()]);
});

test('the model of a revision without levels is loaded whole', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'chair');
  assert.equal(design.report?.levels, undefined);
  const { viewerConfig } = await fetchFramedDocument(service, design.id);
  assert.equal(viewerConfig.levels, undefined);
});

test('a design with levels is deleted with all its artifacts', async (t) => {
  const { service, design } = await uploadWithLevels(t);
  const database = connectToServerDatabase(t, service);
  const countArtifacts = async () => (await database.get('SELECT count(*) AS n FROM artifact'))?.n;
  assert.equal(await countArtifacts(), 4, 'the model, the geometry and two packs');
  assert.equal((await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`)).statusCode, 204);
  assert.equal(await countArtifacts(), 0);
});

const invalidOutputs: [reason: string, options: Parameters<typeof uploadWithLevels>[1]][] = [
  ['a damaged geometry', { files: { ...FILES, 'geometry-0.glb': GEOMETRY.subarray(0, 700) } }],
  [
    'a damaged texture pack',
    { files: { ...FILES, 'textures-1024.glb': LARGE_PACK.subarray(0, 700) } },
  ],
  [
    'two geometries with the same number of triangles',
    {
      files: { ...FILES, 'geometry-1.glb': LARGE_PACK },
      levels: { ...LEVELS, geometries: [{}, {}] } as never,
    },
  ],
  [
    'geometries that do not ascend by triangles',
    {
      files: { ...FILES, 'geometry-1.glb': SIMPLIFIED },
      levels: { ...LEVELS, geometries: [{}, {}] } as never,
    },
  ],
];
for (const [reason, options] of invalidOutputs) {
  test(`the levels are validated as untrusted input: ${reason}`, async (t) => {
    const { design } = await uploadWithLevels(t, options);
    assert.equal(design.status, 'failed');
    assert.equal(design.problem?.code, 'design.failed');
  });
}
