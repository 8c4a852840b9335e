import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareWithTarget } from '../measurement.ts';
import { listMeasurements } from './goals.ts';

const sample = (fullMs: number, mebibytes: number) => ({
  fullMs,
  addedMemoryBytes: mebibytes * 2 ** 20,
});
const LARGE = { bytes: 3_000_000, textured: true };
const SMALL = { bytes: 2_999_999, textured: true };
const PLAIN = { bytes: 9_000_000, textured: false };

/** Of the elements in one page. */
const NO_TARGETS = ['no target', 'no target'];

describe('the goals of a page with many embeds', () => {
  // model-viewer: 10 s and 1000 MiB.
  for (const [name, model, fullMs, mebibytes, results] of [
    ['large textures, at the limits', LARGE, 1200, 300, ['met', 'met']],
    ['large textures, above', LARGE, 1201, 301, ['NOT MET', 'NOT MET']],
    ['small textures', SMALL, 1200, 600, ['met', 'met']],
    ['small textures, above', SMALL, 1201, 601, ['NOT MET', 'NOT MET']],
    ['no textures', PLAIN, 1200, 600, ['met', 'met']],
  ] as const) {
    it(`${name}: ${results.join(', ')}`, () => {
      const measurements = listMeasurements({
        label: 'Bottle',
        model,
        cloche: [sample(fullMs, mebibytes)],
        modelViewer: [sample(10_000, 1000)],
        modelViewerElements: [sample(1, 1)],
      });
      assert.deepEqual(measurements.map(compareWithTarget), [...results, ...NO_TARGETS]);
    });
  }

  it('are compared with medians', () => {
    const cloche = [sample(9000, 9000), sample(1000, 100), sample(1100, 200)];
    const modelViewer = [sample(1, 1), sample(10_000, 1000), sample(90_000, 9000)];
    const modelViewerElements = [sample(2200, 400)];
    const others = { modelViewer, modelViewerElements };
    const measurements = listMeasurements({ label: 'Bottle', model: LARGE, cloche, ...others });
    assert.deepEqual(
      measurements.map(({ value }) => value),
      [0.11, 0.2, 0.5, 0.5],
    );
  });

  it('are not measured without the memory of the processes', () => {
    const samples = [{ fullMs: 1, addedMemoryBytes: undefined }];
    const measurements = listMeasurements({
      ...{ label: 'Bottle', model: LARGE, cloche: samples, modelViewer: samples },
      modelViewerElements: samples,
    });
    assert.equal(measurements.map(compareWithTarget)[1], 'not measured');
  });
});
