import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { choosePoster } from './poster.ts';

const posters = [
  { url: 'large', width: 960, height: 720 },
  { url: 'small', width: 480, height: 360 },
];

describe('choosePoster', () => {
  const cases: [width: number, height: number, pixelRatio: number, url: string][] = [
    [360, 270, 1, 'small'],
    [360, 270, 2, 'small'],
    [360, 270, 3, 'large'],
    [960, 720, 1, 'small'],
    [1440, 360, 1, 'small'],
    [1440, 900, 1, 'large'],
    [4000, 3000, 2, 'large'],
  ];
  for (const [width, height, pixelRatio, url] of cases) {
    it(`${width} × ${height} at pixel ratio ${pixelRatio}: ${url}`, () => {
      assert.equal(choosePoster(posters, { width, height, pixelRatio })?.url, url);
    });
  }

  it('returns undefined without posters', () => {
    assert.equal(choosePoster([], { width: 360, height: 270, pixelRatio: 1 }), undefined);
  });
});
