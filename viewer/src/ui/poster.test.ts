import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { choosePoster } from './poster.ts';

const posters = [
  { url: 'large', width: 960, height: 720 },
  { url: 'small', width: 480, height: 360 },
];

describe('the poster for a frame', () => {
  const rows: [width: number, height: number, pixelRatio: number, url: string][] = [
    [360, 270, 1, 'small'],
    [360, 270, 2, 'small'],
    [360, 270, 3, 'large'],
    [960, 720, 1, 'small'],
    [1440, 360, 1, 'small'],
    [1440, 900, 1, 'large'],
    [4000, 3000, 2, 'large'],
  ];
  for (const [width, height, pixelRatio, url] of rows) {
    it(`of ${width} × ${height} at ${pixelRatio}: the ${url} one`, () => {
      assert.equal(choosePoster(posters, { width, height, pixelRatio })?.url, url);
    });
  }

  it('is none when there is none', () => {
    assert.equal(choosePoster([], { width: 360, height: 270, pixelRatio: 1 }), undefined);
  });
});
