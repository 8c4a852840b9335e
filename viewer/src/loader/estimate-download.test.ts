import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateDownloadMs } from './estimate-download.ts';

const timing = (requestStart: number, responseEnd: number, transferSize: number) => ({
  requestStart,
  responseEnd,
  transferSize,
});

describe('estimateDownloadMs', () => {
  const cases: [reason: string, arrived: ReturnType<typeof timing>[], expected: number][] = [
    ['nothing has arrived', [], 0],
    ['all files are from the cache', [timing(10, 11, 0), timing(12, 20, 0)], 0],
    ['one file, with its latency', [timing(100, 300, 50_000)], 400],
    ['files at the same time', [timing(100, 500, 60_000), timing(150, 600, 40_000)], 500],
    ['cached files tell nothing', [timing(0, 900, 0), timing(100, 300, 100_000)], 200],
  ];
  for (const [reason, arrived, expected] of cases) {
    it(reason, () => assert.equal(estimateDownloadMs(100_000, arrived), expected));
  }
});
