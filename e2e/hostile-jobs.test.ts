import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { openSandbox, type SandboxOptions } from '../server/src/pipeline/sandbox.ts';
import { openService } from '../server/testing/harness.ts';
import type { Ending, Hostile } from '../server/testing/hostile/file.ts';
import { blackPng } from '../server/testing/hostile/picture.ts';
import { gltfFiles } from '../server/testing/hostile/sound.ts';
import { zip } from '../server/testing/hostile/zip.ts';
import { hostileFiles } from '../server/testing/hostile.ts';
import { makeBox, makeGlb } from '../server/testing/models.ts';
import { openDatabase, upload } from '../server/testing/requests.ts';
import { type Canary, openCanary } from './canary.ts';
import { checkNothingLeft, count } from './crash-scene.ts';
import { Memory } from './memory.ts';
import { Owner } from './owner.ts';
import { openPulse } from './pulse.ts';
import { RealService } from './real-service.ts';
import { THOROUGH } from './rounds.ts';

const MIB = 1024 ** 2;
const AT_ONCE = 4;
/** What the slowest may take, from the first byte to what becomes of it, beside three others. */
const PATIENCE_MS = 60_000;

// Seen on two cores that much else shared: 200 MiB at rest, at most 362 to 437 in the first round and
// 403 to 473 in the second, 10 to 83 more; beside the control, p99 later by 13 to 71 ms and the
// longest by 14 to 298. The rest is margin, for garbage is collected when it suits. A file that is held
// in memory shows in the peak, for one has 140 MB; 0.4 MB kept of each of 261 in the growth; work
// that others wait for in what is late.
const MOST = { peak: 600 * MIB, growth: 100 * MIB };
const LATE = { p99Ms: 150, longestMs: 600 };

describe('files that mean harm', () => {
  it('end with a reason, touch nothing, keep nobody waiting, and cost no memory', async (t) => {
    const service = await RealService.open(t);
    const owner = await Owner.of(service);
    const canary = await openCanary(t);
    const files = [...hostileFiles({ canaryFile: canary.file, canaryUrl: canary.url })];
    const bystander = (await owner.send(makeBox())).view.id;
    const pulse = await openPulse(t, await owner.visit(bystander));
    const memory = new Memory(service.pid);
    const room = { owner, canary, memory };
    const resting = await memory.now();

    const first = await sendAll(room, files);
    // Memory is a question of what is checked in the service itself.
    const again = () => sendAll(room, THOROUGH ? files : files.filter(isRefused));
    const peaks = [first.peak, (await again()).peak];
    // A heap may come to its size late, once. What leaks grows every time.
    if (growth(peaks) >= MOST.growth) peaks.push((await again()).peak);
    const [served, control] = await pulse.stop();
    t.diagnostic(
      `${files.length} files: ${tell(first.ends)}; the slowest "${first.slowest.name}" ${ms(first.slowest.ms)}; ` +
        `${mib(resting)} MiB before, at most ${peaks.map(mib).join(', then ')} MiB`,
    );
    t.diagnostic(
      `${served.count} others meanwhile: p99 ${ms(served.p99Ms)}, at most ${ms(served.longestMs)}; ` +
        `a server that does nothing: ${ms(control.p99Ms)}, ${ms(control.longestMs)}`,
    );
    assert.deepEqual(await canary.sings(), []);
    assert.ok(!canary.isHeardIn(service.output), 'the log has what the canary says');
    assert.ok(served.p99Ms < control.p99Ms + LATE.p99Ms, `p99 is ${ms(served.p99Ms)}`);
    assert.ok(served.longestMs < control.longestMs + LATE.longestMs, ms(served.longestMs));
    const peak = Math.max(...peaks);
    assert.ok(peak < MOST.peak, `took ${mib(peak)} MiB`);
    assert.ok(growth(peaks) < MOST.growth, `grew to ${mib(peak)} MiB`);
    const database = openDatabase(t, { folder: service.dataFolder });
    await checkNothingLeft({ service, database });
  });
});

const isRefused = ({ ends }: Hostile) => ends === '4xx';

type Room = { owner: Owner; canary: Canary; memory: Memory };
describe('files that take more than one design may', { concurrency: 2 }, () => {
  const BOUNDS: [what: string, bounds: SandboxOptions, make: () => Buffer, detail: RegExp][] = [
    ['time', { timeoutMs: 700 }, makeWide, /needs more than 1 s to be made/],
    ['memory', { memoryBytes: 900 * MIB }, makeVast, /needs more memory than .* may take/],
  ];
  for (const [what, bounds, make, detail] of BOUNDS) {
    it(`fail with the reason when their ${what} is up, and leave nothing`, async (t) => {
      const maker = await openSandbox(bounds);
      const service = await openService(t, { workshop: { maker } });
      const { status, problem } = await upload(service, what, make());
      assert.deepEqual([status, problem?.code], ['failed', 'design.too-complex']);
      assert.match(problem?.detail ?? '', detail);
      assert.deepEqual(await readdir(join(service.folder, 'work')), []);
      assert.equal(count(openDatabase(t, service)), 0);
    });
  }
});

type End = '4xx' | 'failed' | 'ready';

const MAY_END: Record<Ending, readonly End[]> = {
  '4xx': ['4xx'],
  '4xx or failed': ['4xx', 'failed'],
  ready: ['ready'],
  'ready without a texture': ['ready'],
  any: ['4xx', 'failed', 'ready'],
};

/** Sends all, a few at once, and sees to it that each ends as it should. */
async function sendAll(room: Room, files: readonly Hostile[]) {
  // Workers run one after the other: half of us see to it that they always have something to do.
  const { refused = [], worked = [] } = Object.groupBy(files, (file) =>
    isRefused(file) ? 'refused' : 'worked',
  );
  const ends = { '4xx': 0, failed: 0, ready: 0 };
  let slowest = { name: '', ms: 0 };
  const lane = async (_: unknown, at: number) => {
    const [mine, others] = at % 2 === 0 ? [worked, refused] : [refused, worked];
    const take = () => mine.shift() ?? others.shift();
    for (let next = take(); next !== undefined; next = take()) {
      const { end, took } = await sendOne(room, next);
      ends[end] += 1;
      if (took > slowest.ms) slowest = { name: next.name, ms: took };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { ends, slowest, peak: await room.memory.peak() };
}

async function sendOne({ owner, canary }: Room, { name, make, ends }: Hostile) {
  const bytes = make();
  const start = performance.now();
  const { status, text, view } = await owner.send(bytes);
  const design = status === 201 ? await owner.settled(view.id) : undefined;
  const took = performance.now() - start;
  const said = `${name}: ${status} ${JSON.stringify(design?.problem ?? text)}`;
  const end: End = design === undefined ? '4xx' : design.status === 'ready' ? 'ready' : 'failed';
  assert.ok(end !== '4xx' || (status >= 400 && status < 500), said);
  assert.ok(MAY_END[ends].includes(end), said);
  assert.ok(took < PATIENCE_MS, `${name} took ${ms(took)}`);
  const reason = design === undefined ? (view as { detail?: string }) : design.problem;
  if (end !== 'ready') assert.ok((reason?.detail ?? '').length > 10, said);
  assert.ok(!canary.isHeardIn(text + JSON.stringify(design)), said);
  if (design !== undefined && end === 'ready') {
    const model = await owner.artifact(await owner.framed(design.id));
    assert.ok(!canary.isHeardIn(model), `${name}: the model has what the canary says`);
    for (const side of await sidesOf(model)) assert.ok(side <= 4096, `${name}: ${side} pixels`);
  }
  if (ends === 'ready without a texture') {
    const codes = design?.report?.warnings.map(({ code }) => code) ?? [];
    assert.ok(codes.includes('texture.missing'), `${name}: the owner is told of ${codes}`);
  }
  return { end, took };
}

function makeWide(): Buffer {
  return zip(gltfFiles(() => {}, { image: blackPng(16_000) }));
}

/** 20 million vertices without data: 120 kB that become 240 MB. */
function makeVast(): Buffer {
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
async function sidesOf(glb: Buffer): Promise<number[]> {
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
const growth = (peaks: number[]) => (peaks.at(-1) ?? 0) - (peaks.at(-2) ?? 0);

const tell = (ends: Record<End, number>) =>
  Object.entries(ends)
    .map(([end, count]) => `${count} ${end}`)
    .join(', ');
const ms = (time: number) => `${Math.round(time)} ms`;
const mib = (bytes: number) => Math.round(bytes / MIB);
