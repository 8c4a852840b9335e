import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAngle, parseColor, parseOrbit, parsePosition, parseSpeed } from './option-values.ts';

const DEGREE = Math.PI / 180;
/** What `JSON.parse` of a query or an attribute may contain. None of it is a value of any kind. */
const HOSTILE = [
  '',
  ' ',
  '\u00a0',
  '\u3000',
  'NaN',
  'Infinity',
  '-Infinity',
  'NaNdeg',
  'Infinitym',
  '1e999',
  '1e999deg',
  '1e999%',
  '-1e308rad',
  '1e7m',
  '1e0001m',
  '0x10m',
  '1_000m',
  '1,5m',
  '1..5m',
  '.m',
  'm',
  '+-1deg',
  '1degdeg',
  '1 deg',
  '1\u00a0deg',
  '1\u2003deg 2deg 3m',
  '１deg',
  '٣deg',
  '1°',
  'calc(1deg)',
  'env(window-scroll-y)',
  'null',
  'undefined',
  '[object Object]',
  '__proto__',
  '<script>',
  '1deg;color:red',
  '1deg\u0000',
  '0'.repeat(100_000),
  `${'9'.repeat(90)}deg`,
  ' '.repeat(1000),
  `1deg${' '.repeat(1_000_000)}`,
];
const PARSERS = { parseOrbit, parsePosition, parseAngle, parseSpeed, parseColor };

for (const [name, parse] of Object.entries(PARSERS)) {
  describe(name, () => {
    for (const text of HOSTILE) {
      it(`does not accept ${JSON.stringify(text.slice(0, 30))} (${text.length} characters)`, () =>
        assert.equal(parse(text), undefined));
    }
  });
}

type Row = [text: string, value: unknown];
function assertRows(name: keyof typeof PARSERS, rows: readonly Row[]) {
  describe(name, () => {
    for (const [text, value] of rows) {
      it(JSON.stringify(text), () => assert.deepEqual(round(PARSERS[name](text)), round(value)));
    }
  });
}
/** Rounds all numbers: the parsers multiply. */
const round = (value: unknown) =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value), (_, item) =>
        typeof item === 'number' ? Math.round(item * 1e9) / 1e9 : item,
      );

assertRows('parseOrbit', [
  ['30deg 75deg 105%', { theta: 30 * DEGREE, phi: 75 * DEGREE, radius: { ratio: 1.05 } }],
  ['0.5rad -1.5RAD 2m', { theta: 0.5, phi: -1.5, radius: { meters: 2 } }],
  ['0 0 150cm', { theta: 0, phi: 0, radius: { meters: 1.5 } }],
  ['auto auto 25mm', { radius: { meters: 0.025 } }],
  ['AUTO 90deg auto', { phi: 90 * DEGREE }],
  ['auto', {}],
  ['45deg', { theta: 45 * DEGREE }],
  ['45deg 90deg', { theta: 45 * DEGREE, phi: 90 * DEGREE }],
  ['  1e1deg\t+.5rad\n\r\f3. ', { theta: 10 * DEGREE, phi: 0.5, radius: { meters: 3 } }],
  ['auto auto 0%', { radius: { ratio: 0 } }],
  ['30 75 2m', undefined],
  ['30deg 75deg -1m', undefined],
  ['30deg 75deg -5%', undefined],
  ['30deg 75deg 2deg', undefined],
  ['30m 75deg 2m', undefined],
  ['30% 75deg 2m', undefined],
  ['30deg auto 2m 4m', undefined],
  ['30deg,75deg,2m', undefined],
]);

assertRows('parsePosition', [
  ['0m 0.4m 0m', { x: 0, y: 0.4, z: 0 }],
  ['1 -2 3', { x: 1, y: -2, z: 3 }],
  ['10cm auto 10mm', { x: 0.1, z: 0.01 }],
  ['auto', {}],
  ['1m 2m', { x: 1, y: 2 }],
  ['1m 2m 3deg', undefined],
  ['1m 2m 3%', undefined],
  ['1m 2m 3m 4m', undefined],
  ['1m 2e9m 3m', undefined],
]);

assertRows('parseAngle', [
  ['25deg', 25 * DEGREE],
  [' 0.5rad ', 0.5],
  ['0', 0],
  ['auto', 'auto'],
  ['25', undefined],
  ['25%', undefined],
  ['25deg 25deg', undefined],
]);

assertRows('parseSpeed', [
  ['30deg', 30 * DEGREE],
  ['-12deg', -12 * DEGREE],
  ['1rad', 1],
  ['50%', 15 * DEGREE],
  ['0', 0],
  ['auto', undefined],
  ['12', undefined],
]);

assertRows('parseColor', [
  ['#f4f1ec', '#f4f1ec'],
  ['#FAB', '#ffaabb'],
  ['Transparent', 'transparent'],
  ['f4f1ec', undefined],
  ['#f4f1e', undefined],
  ['#f4f1ecff', undefined],
  ['red', undefined],
  ['rgb(1,2,3)', undefined],
  ['#fff;background:url(x)', undefined],
  ['#fff ', undefined],
  ['url(x)', undefined],
]);
