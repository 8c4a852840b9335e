import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hostile } from '../server/testing/hostile/file.ts';
import { hostileFiles } from '../server/testing/hostile.ts';
import { makeBox } from '../server/testing/models.ts';
import { openDatabase } from '../server/testing/requests.ts';
import { type Canary, openCanary } from './canary.ts';
import { checkNothingLeft } from './crash-scene.ts';
import { Owner } from './owner.ts';
import { openPulse } from './pulse.ts';
import { RealService } from './real-service.ts';
import { THOROUGH } from './rounds.ts';

const MIB = 1024 ** 2;
const AT_ONCE = 4;
/** What the slowest may take, from the first byte to what becomes of it, beside three others. */
const PATIENCE_MS = 60_000;

describe('files that mean harm', () => {
  it('end with a reason, touch nothing, keep nobody waiting, and cost no memory', async (t) => {
    const service = await RealService.open(t);
    const owner = await Owner.of(service);
    const canary = await openCanary(t);
    const files = choose(hostileFiles({ canaryFile: canary.file, canaryUrl: canary.url }));
    const bystander = (await owner.send(makeBox())).view.id;
    const pulse = await openPulse(t, await owner.visit(bystander));
    const room = { service, owner, canary };

    const first = await sendAll(room, files);
    // Memory is a question of what is checked in the service itself.
    const second = await sendAll(room, THOROUGH ? files : files.filter(isRefused));
    const [served, control] = await pulse.stop();
    t.diagnostic(
      `${files.length} files: ${tell(first.ends)}; the slowest "${first.slowest.name}" ${ms(first.slowest.ms)}; ` +
        `at most ${mib(first.peak)}, then ${mib(second.peak)} MiB`,
    );
    t.diagnostic(
      `${served.count} others meanwhile: p99 ${ms(served.p99Ms)}, at most ${ms(served.longestMs)}; ` +
        `a server that does nothing: ${ms(control.p99Ms)}, ${ms(control.longestMs)}`,
    );
    assert.deepEqual(await canary.sings(), []);
    assert.ok(!canary.isHeardIn(service.output), 'the log has what the canary says');
    assert.ok(served.p99Ms < control.p99Ms + 250, `p99 is ${ms(served.p99Ms)}`);
    assert.ok(served.longestMs < control.longestMs + 1000, `${ms(served.longestMs)}`);
    const peak = Math.max(first.peak, second.peak);
    assert.ok(peak < 900 * MIB, `took ${mib(peak)} MiB`);
    assert.ok(second.peak - first.peak < 150 * MIB, `grew to ${mib(second.peak)} MiB`);
    const database = openDatabase(t, { folder: service.dataFolder });
    await checkNothingLeft({ service, database });
  });
});

/** Every file that is refused at once; of those that come as far as a worker, the suite has time for one of a kind. */
function choose(files: Iterable<Hostile>): Hostile[] {
  const met = new Set<string>();
  return [...files].filter(({ name, ends }) => {
    const [kind = ''] = name.split(':');
    if (THOROUGH || isRefused({ ends })) return true;
    return !met.has(kind) && met.add(kind);
  });
}

const isRefused = ({ ends }: Pick<Hostile, 'ends'>) => ends === '4xx';

type Room = { service: RealService; owner: Owner; canary: Canary };
type End = '4xx' | 'failed' | 'ready';

/** Sends all, a few at once, and sees to it that each ends as it should. */
async function sendAll(room: Room, files: readonly Hostile[]) {
  const waiting = [...files];
  const ends = { '4xx': 0, failed: 0, ready: 0 };
  let slowest = { name: '', ms: 0 };
  let peak = 0;
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { end, took } = await sendOne(room, next);
      ends[end] += 1;
      if (took > slowest.ms) slowest = { name: next.name, ms: took };
      peak = Math.max(peak, await room.service.residentBytes());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { ends, slowest, peak };
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
  assert.ok(ends === 'any' || ends.split(' or ').includes(end), said);
  assert.ok(took < PATIENCE_MS, `${name} took ${ms(took)}`);
  const reason = design === undefined ? (view as { detail?: string }) : design.problem;
  if (end !== 'ready') assert.ok((reason?.detail ?? '').length > 10, said);
  assert.ok(!canary.isHeardIn(text + JSON.stringify(design)), said);
  if (design !== undefined && end === 'ready') {
    const model = await owner.artifact(await owner.framed(design.id));
    assert.ok(!canary.isHeardIn(model), `${name}: the model has what the canary says`);
  }
  return { end, took };
}

const tell = (ends: Record<End, number>) =>
  Object.entries(ends)
    .map(([end, count]) => `${count} ${end}`)
    .join(', ');
const ms = (time: number) => `${Math.round(time)} ms`;
const mib = (bytes: number) => Math.round(bytes / MIB);
