import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Results, type Sample, takeMedian } from './results.ts';

const KEY = { model: 'Box', network: 'none', visit: 'cold', contender: 'cloche' } as const;

const takeFull = (samples: Partial<Sample>[]) =>
  takeMedian(
    { samples: samples.map((sample) => ({ ...KEY, ...sample })) } as Results,
    KEY,
    'fullMs',
  );

describe('the time until a model is full', () => {
  it('is the median', () => {
    assert.equal(takeFull([{ fullMs: 300 }, { fullMs: 900 }, { fullMs: 200 }]), 300);
    assert.equal(takeFull([{ usefulMs: 1 }]), undefined);
  });

  it('is that of the canvas, while the poster equals the final picture and the canvas shows nothing', () => {
    const samples = [300, 900, 200].map((fullMs) => ({ fullMs, canvasFullMs: fullMs + 1000 }));
    assert.equal(takeFull(samples), 1300);
  });

  it('is the larger of two medians, not the median of the larger ones', () => {
    const samples = [
      { fullMs: 100, canvasFullMs: 330 },
      { fullMs: 310, canvasFullMs: 200 },
      { fullMs: 320, canvasFullMs: 210 },
    ];
    assert.equal(takeFull(samples), 310);
  });
});
