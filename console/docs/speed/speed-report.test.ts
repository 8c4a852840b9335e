import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmbedTimings } from './measure-embed.ts';
import { parsePreviewLink } from './parse-preview-link.ts';
import { listFigures, renderSpeedReport, toQuantile } from './speed-report.ts';

const LOAD: EmbedTimings = {
  posterMs: undefined,
  first3dMs: 812.4,
  fullMs: 1500,
  bytes: 345_600,
  blockingMs: undefined,
  frameTimes: [16, 17, 18, 100],
};
const ORIGIN = 'https://cloche.example';
const ID = '0f9619ff-8b86-4d01-b42d-00cf4fc964ff';

describe('the figures of a measurement', () => {
  it('have a value for each load, and no row without values', () => {
    const figures = listFigures([LOAD, { ...LOAD, fullMs: 700 }]);
    assert.deepEqual(figures, [
      { name: 'First 3D frame', values: ['812 ms', '812 ms'] },
      { name: 'Full model', values: ['1500 ms', '700 ms'] },
      { name: 'Received', values: ['346 kB', '346 kB'] },
      { name: 'Frame, median', values: ['18.0 ms', '18.0 ms'] },
      { name: 'Frame, slowest 5 %', values: ['100.0 ms', '100.0 ms'] },
    ]);
    const names = listFigures([LOAD, { ...LOAD, posterMs: 1, blockingMs: 2 }]).map(
      ({ name }) => name,
    );
    assert.ok(names.includes('Poster') && names.includes('Blocking'));
  });

  it('are text with one fact per line', () => {
    const text = renderSpeedReport([['GPU', 'Mali']], 'the sample', listFigures([LOAD]));
    assert.match(text, /^GPU: Mali\nDesign: the sample\nFirst 3D frame: 812 ms\n/);
  });

  it('have quantiles of no values', () => {
    assert.equal(toQuantile([], 0.5), undefined);
    assert.equal(toQuantile([3, 1, 2], 0.95), 3);
  });
});

describe('a preview link', () => {
  for (const [reason, text, expected] of [
    ['of its page', `${ORIGIN}/preview/${ID}?link=a.b`, `/embed/preview/v1/${ID}?link=a.b`],
    ['of its frame', ` ${ORIGIN}/embed/preview/v1/${ID}?link=a `, `/embed/preview/v1/${ID}?link=a`],
    ['of another service', `https://other.example/preview/${ID}?link=a`, undefined],
    ['without a link', `${ORIGIN}/preview/${ID}`, undefined],
    ['to another page', `${ORIGIN}/docs?link=a`, undefined],
    ['that is no URL', 'a', undefined],
    ['that would run a script', `javascript:alert(1)//preview/${ID}?link=a`, undefined],
    [
      'with another parameter',
      `${ORIGIN}/preview/${ID}?link=a%26b`,
      `/embed/preview/v1/${ID}?link=a%26b`,
    ],
  ] as const) {
    it(`${reason} → ${expected}`, () => {
      assert.equal(parsePreviewLink(text, ORIGIN), expected);
    });
  }
});
