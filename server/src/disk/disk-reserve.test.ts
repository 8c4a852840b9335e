import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { DiskReserve, RESERVE_BYTES } from './disk-reserve.ts';

async function openReserve(t: TestContext) {
  const path = join(await openTemporaryDirectory(t), 'reserve');
  const reserve = new DiskReserve(path);
  t.after(() => reserve[Symbol.dispose]());
  assert.ok(reserve.refill());
  return { reserve, getSizeBytes: async () => (await stat(path)).size };
}

const noRecycling = async () => {};

test('the reserve occupies its size on the disk, for its owner only', async (t) => {
  const path = join(await openTemporaryDirectory(t), 'reserve');
  using reserve = new DiskReserve(path);
  assert.ok(reserve.refill());
  const { size, blocks, mode } = await stat(path);
  assert.equal(size, RESERVE_BYTES);
  assert.ok(blocks * 512 >= RESERVE_BYTES, 'the file is not sparse');
  assert.equal(mode & 0o777, 0o600);
});

test('an operation that fails because the disk is full runs again, with more and more space', async (t) => {
  const { reserve, getSizeBytes } = await openReserve(t);
  const sizes: number[] = [];
  let recycled = 0;
  const operation = async () => {
    sizes.push(await getSizeBytes());
    if (sizes.length < 4) throw new Problem('server.storage-full');
    return 'done';
  };
  const recycle = async () => {
    recycled += 1;
  };
  assert.equal(await reserve.run(operation, recycle), 'done');
  const [first = 0, second = 0, third = 0, fourth = 0] = sizes;
  assert.ok(first === second && second > third && third > fourth, String(sizes));
  assert.equal(recycled, 3);
  assert.equal(await getSizeBytes(), RESERVE_BYTES, 'the space is occupied again');
});

test('an operation that always fails ends with its problem', async (t) => {
  const { reserve, getSizeBytes } = await openReserve(t);
  let smallest = RESERVE_BYTES;
  const operation = async () => {
    smallest = await getSizeBytes();
    throw new Problem('server.storage-full');
  };
  await assert.rejects(reserve.run(operation, noRecycling), { code: 'server.storage-full' });
  assert.equal(smallest, 0);
  assert.equal(await getSizeBytes(), RESERVE_BYTES);
});

test('other errors are not retried', async (t) => {
  const { reserve } = await openReserve(t);
  let count = 0;
  const operation = async () => {
    count += 1;
    throw new Problem('token.not-found');
  };
  await assert.rejects(reserve.run(operation, noRecycling), { code: 'token.not-found' });
  assert.equal(count, 1);
});

test('operations that need the reserve run one after the other', async (t) => {
  const { reserve } = await openReserve(t);
  let running = 0;
  const operations = Array.from({ length: 5 }, () => {
    let attempts = 0;
    return async () => {
      attempts += 1;
      if (attempts === 1) throw new Problem('server.storage-full');
      running += 1;
      assert.equal(running, 1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
  });
  await Promise.all(operations.map((operation) => reserve.run(operation, noRecycling)));
});
