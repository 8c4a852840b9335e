import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chooseWorkerCount, getDefaultLimits, getTimeoutMs, getWorkerLimits } from './limits.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

it('the time limit grows with what the file decodes to, up to a maximum', () => {
  const limits = { timeoutMs: 600_000 };
  const sizes = [0, 1000, MIB, 8 * MIB, 500 * MIB, undefined];
  assert.deepEqual(
    sizes.map((size) => Math.round(getTimeoutMs(size, limits) / 1000)),
    [60, 60, 62, 76, 600, 600],
  );
  assert.equal(getTimeoutMs(0, { timeoutMs: 500 }), 500);
});

it('a worker may write no file, and have twice its time limit as processor time', () => {
  const limits = getWorkerLimits({ ...getDefaultLimits(), timeoutMs: 1500 });
  assert.deepEqual([limits.writtenFileBytes, limits.cpuSeconds], [0, 4]);
});

const MACHINES: [processors: number, memoryGib: number, workers: number, limitGib: number][] = [
  [1, 1, 1, 1.5],
  [2, 2, 1, 1.5],
  [2, 3, 1, 2.25],
  [2, 4, 2, 1.5],
  [1, 8, 2, 3],
  [2, 8, 2, 3],
  [2, 24, 2, 4],
  [4, 8, 3, 2],
  [16, 16, 8, 1.5],
  [64, 256, 63, 3.04],
];
for (const [processors, memoryGib, workers, limitGib] of MACHINES) {
  it(`${workers} workers on ${processors} processors with ${memoryGib} GiB`, () => {
    const machine = { processors, memoryBytes: memoryGib * GIB };
    const workerCount = chooseWorkerCount(machine);
    const { memoryBytes } = getDefaultLimits(workerCount, machine);
    assert.deepEqual(
      [workerCount, Math.floor((100 * memoryBytes) / GIB) / 100],
      [workers, limitGib],
    );
    if (memoryGib >= 2) assert.ok(workerCount * memoryBytes <= 0.75 * machine.memoryBytes);
  });
}
