import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSandbox, type SandboxOptions } from '@cloche/pipeline/sandbox/sandbox';
import { makeRawZip } from '@cloche/pipeline/testing/formats/raw-zip';
import type { ExpectedOutcome, HostileFile } from '@cloche/pipeline/testing/hostile/hostile-file';
import { makeGltfZipEntries } from '@cloche/pipeline/testing/hostile/valid-files';
import { generateHostileFiles } from '@cloche/pipeline/testing/hostile-files';
import { makeBox, makeGlb } from '@cloche/pipeline/testing/models';
import { makeBlackPng } from '@cloche/pipeline/testing/png';
import sharp from 'sharp';
import { openTestServer } from '../server/testing/harness.ts';
import { openServerDatabase, uploadTestDesign } from '../server/testing/requests.ts';
import { ApiClient } from './api-client.ts';
import { type Canary, openCanary } from './canary.ts';
import { assertNothingLeft, countJobs } from './crash-fixtures.ts';
import { openLatencyProbe } from './latency-probe.ts';
import { ProcessMemory } from './process-memory.ts';
import { THOROUGH } from './rounds.ts';
import { ServiceProcess } from './service-process.ts';

const MIB = 1024 ** 2;
const CONCURRENCY = 4;
/** What the slowest may take, from the first byte to what becomes of it, beside three others. */
const TIMEOUT_MS = 60_000;

// Seen on two cores that much else shared: 200 MiB at rest, at most 362 to 437 in the first round and
// 403 to 473 in the second, 10 to 83 more; beside the control, p99 later by 13 to 71 ms and the
// longest by 14 to 298. The rest is margin, for garbage is collected when it suits. A file that is held
// in memory shows in the peak, for one has 140 MB; 0.4 MB kept of each of 261 in the growth; work
// that others wait for in what is late.
const MEMORY_LIMITS = { peak: 600 * MIB, growth: 100 * MIB };
const LATENCY_LIMITS = { p99Ms: 150, longestMs: 600 };

describe('files that mean harm', () => {
  it('end with a reason, touch nothing, keep nobody waiting, and cost no memory', async (t) => {
    const service = await ServiceProcess.open(t);
    const owner = await ApiClient.create(service);
    const canary = await openCanary(t);
    const files = [...generateHostileFiles({ canaryFile: canary.file, canaryUrl: canary.url })];
    const bystander = (await owner.upload(makeBox())).body.id;
    const pulse = await openLatencyProbe(t, await owner.createDocumentRequest(bystander));
    const memory = new ProcessMemory(service.pid);
    const dependencies = { client: owner, canary, memory };
    const resting = await memory.getResidentBytes();

    const first = await uploadAll(dependencies, files);
    // Memory is a question of what is checked in the service itself.
    const again = () => uploadAll(dependencies, THOROUGH ? files : files.filter(isRejected));
    const peaks = [first.peak, (await again()).peak];
    // A heap may come to its size late, once. What leaks grows every time.
    if (getLastGrowth(peaks) >= MEMORY_LIMITS.growth) peaks.push((await again()).peak);
    const [served, control] = await pulse.stop();
    t.diagnostic(
      `${files.length} files: ${formatOutcomes(first.ends)}; the slowest "${first.slowest.name}" ${formatMs(first.slowest.ms)}; ` +
        `${toMiB(resting)} MiB before, at most ${peaks.map(toMiB).join(', then ')} MiB`,
    );
    t.diagnostic(
      `${served.count} others meanwhile: p99 ${formatMs(served.p99Ms)}, at most ${formatMs(served.maxMs)}; ` +
        `a server that does nothing: ${formatMs(control.p99Ms)}, ${formatMs(control.maxMs)}`,
    );
    assert.deepEqual(await canary.findAccesses(), []);
    assert.ok(!canary.isLeakedIn(service.output), 'the log has what the canary says');
    assert.ok(
      served.p99Ms < control.p99Ms + LATENCY_LIMITS.p99Ms,
      `p99 is ${formatMs(served.p99Ms)}`,
    );
    assert.ok(served.maxMs < control.maxMs + LATENCY_LIMITS.longestMs, formatMs(served.maxMs));
    const peak = Math.max(...peaks);
    assert.ok(peak < MEMORY_LIMITS.peak, `took ${toMiB(peak)} MiB`);
    assert.ok(getLastGrowth(peaks) < MEMORY_LIMITS.growth, `grew to ${toMiB(peak)} MiB`);
    const database = openServerDatabase(t, { dataDirectory: service.dataDirectory });
    await assertNothingLeft({ service, database });
  });
});

const isRejected = ({ expectedOutcome }: HostileFile) => expectedOutcome === '4xx';

type UploadDependencies = { client: ApiClient; canary: Canary; memory: ProcessMemory };
describe('files that take more than one design may', { concurrency: 2 }, () => {
  const BOUNDS: [what: string, bounds: SandboxOptions, make: () => Buffer, detail: RegExp][] = [
    ['time', { timeoutMs: 700 }, makeLargeImageZip, /needs more than 1 s to be made/],
    [
      'memory',
      { memoryBytes: 900 * MIB },
      makeLargeAccessorGlb,
      /needs more memory than .* may take/,
    ],
  ];
  for (const [what, bounds, make, detail] of BOUNDS) {
    it(`fail with the reason when their ${what} is up, and leave nothing`, async (t) => {
      const modelProcessor = await openSandbox(bounds);
      const service = await openTestServer(t, { processing: { modelProcessor } });
      const { status, problem } = await uploadTestDesign(service, what, make());
      assert.deepEqual([status, problem?.code], ['failed', 'design.too-complex']);
      assert.match(problem?.detail ?? '', detail);
      assert.deepEqual(await readdir(join(service.dataDirectory, 'jobs')), []);
      assert.equal(countJobs(openServerDatabase(t, service)), 0);
    });
  }
});

type Outcome = '4xx' | 'failed' | 'ready';

const ALLOWED_OUTCOMES: Record<ExpectedOutcome, readonly Outcome[]> = {
  '4xx': ['4xx'],
  '4xx or failed': ['4xx', 'failed'],
  ready: ['ready'],
  'ready without a texture': ['ready'],
  any: ['4xx', 'failed', 'ready'],
};

/** Sends all, a few at once, and sees to it that each ends as it should. */
async function uploadAll(dependencies: UploadDependencies, files: readonly HostileFile[]) {
  // Workers run one after the other: half of us see to it that they always have something to do.
  const { refused = [], worked = [] } = Object.groupBy(files, (file) =>
    isRejected(file) ? 'refused' : 'worked',
  );
  const ends = { '4xx': 0, failed: 0, ready: 0 };
  let slowest = { name: '', ms: 0 };
  const lane = async (_: unknown, at: number) => {
    const [mine, others] = at % 2 === 0 ? [worked, refused] : [refused, worked];
    const take = () => mine.shift() ?? others.shift();
    for (let next = take(); next !== undefined; next = take()) {
      const { end, took } = await uploadOne(dependencies, next);
      ends[end] += 1;
      if (took > slowest.ms) slowest = { name: next.name, ms: took };
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return { ends, slowest, peak: await dependencies.memory.takePeakBytes() };
}

async function uploadOne(
  { client, canary }: UploadDependencies,
  { name, make, expectedOutcome }: HostileFile,
) {
  const bytes = make();
  const start = performance.now();
  const { status, text, body } = await client.upload(bytes);
  const design = status === 201 ? await client.waitUntilSettled(body.id) : undefined;
  const took = performance.now() - start;
  const said = `${name}: ${status} ${JSON.stringify(design?.problem ?? text)}`;
  const end: Outcome =
    design === undefined ? '4xx' : design.status === 'ready' ? 'ready' : 'failed';
  assert.ok(end !== '4xx' || (status >= 400 && status < 500), said);
  assert.ok(ALLOWED_OUTCOMES[expectedOutcome].includes(end), said);
  assert.ok(took < TIMEOUT_MS, `${name} took ${formatMs(took)}`);
  const reason = design === undefined ? (body as { detail?: string }) : design.problem;
  if (end !== 'ready') assert.ok((reason?.detail ?? '').length > 10, said);
  assert.ok(!canary.isLeakedIn(text + JSON.stringify(design)), said);
  if (design !== undefined && end === 'ready') {
    const model = await client.getArtifact(await client.getViewerConfig(design.id));
    assert.ok(!canary.isLeakedIn(model), `${name}: the model has what the canary says`);
    for (const side of await listImageSides(model))
      assert.ok(side <= 4096, `${name}: ${side} pixels`);
  }
  if (expectedOutcome === 'ready without a texture') {
    const codes = design?.report?.warnings.map(({ code }) => code) ?? [];
    assert.ok(codes.includes('texture.missing'), `${name}: the owner is told of ${codes}`);
  }
  return { end, took };
}

function makeLargeImageZip(): Buffer {
  return makeRawZip(makeGltfZipEntries(() => {}, { image: makeBlackPng(16_000) }));
}

/** 20 million vertices without data: 120 kB that become 240 MB. */
function makeLargeAccessorGlb(): Buffer {
  const count = 21e6;
  const accessor = { count, type: 'VEC3', componentType: 5126, min: [0, 0, 0], max: [0, 0, 0] };
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [accessor],
  };
  return makeGlb({ json: { ...json, extras: 'a'.repeat(130_000) } });
}

/** How wide and how high the pictures in a GLB are. */
async function listImageSides(glb: Buffer): Promise<number[]> {
  const jsonBytes = glb.readUInt32LE(12);
  const { images = [], bufferViews } = JSON.parse(glb.toString('utf8', 20, 20 + jsonBytes));
  const bin = glb.subarray(28 + jsonBytes);
  const sides = images.map(async ({ bufferView }: { bufferView: number }) => {
    const { byteOffset = 0, byteLength } = bufferViews[bufferView];
    const picture = sharp(bin.subarray(byteOffset, byteOffset + byteLength));
    const { width, height } = await picture.metadata();
    return [width, height];
  });
  return (await Promise.all(sides)).flat();
}

/** How much more the last round took than the one before. */
const getLastGrowth = (peaks: number[]) => (peaks.at(-1) ?? 0) - (peaks.at(-2) ?? 0);

const formatOutcomes = (ends: Record<Outcome, number>) =>
  Object.entries(ends)
    .map(([end, count]) => `${count} ${end}`)
    .join(', ');
const formatMs = (time: number) => `${Math.round(time)} ms`;
const toMiB = (bytes: number) => Math.round(bytes / MIB);
