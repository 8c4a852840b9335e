import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { parseQueryOptions } from './query-options.ts';

type Query = Record<string, string | string[]>;
const rows: [reason: string, query: Query, options: object][] = [
  ['no parameters', {}, {}],
  [
    'names in kebab-case, in the order of the table',
    { title: 'Chair', 'camera-orbit': '30deg 75deg 105%', 'auto-rotate': '', exposure: '1.5' },
    { cameraOrbit: '30deg 75deg 105%', autoRotate: true, exposure: 1.5, title: 'Chair' },
  ],
  ['the last of repeated parameters', { theme: ['dark', 'light'] }, { theme: 'light' }],
  ['autostart=1', { autostart: '1' }, { loading: 'eager' }],
  ['autostart=0', { autostart: '0' }, { loading: 'click' }],
  ['preload=1', { preload: '1' }, { loading: 'eager' }],
  ['preload=0', { preload: '0' }, {}],
  ['autostart=0 and preload=1', { autostart: '0', preload: '1' }, { loading: 'click' }],
  ['preload=1 and autostart=0', { preload: '1', autostart: '0' }, { loading: 'click' }],
  ['autospin=0.2', { autospin: '0.2' }, { autoRotate: true, rotationPerSecond: '6deg' }],
  ['autospin=-1', { autospin: '-1' }, { autoRotate: true, rotationPerSecond: '-30deg' }],
  ['autospin=0', { autospin: '0' }, { autoRotate: false }],
  ['transparent=1', { transparent: '1' }, { background: 'transparent' }],
  ['transparent=0', { transparent: '0' }, {}],
  ['transparent=true', { transparent: 'true' }, { background: 'transparent' }],
  ['ui_controls=0', { ui_controls: '0' }, { controls: 'none' }],
  ['ui_controls=1', { ui_controls: '1' }, { controls: 'all' }],
  ['ui_infos=0', { ui_infos: '0' }, {}],
  ['scrollwheel=0', { scrollwheel: '0' }, { scrollZoom: false }],
  ['scrollwheel=1', { scrollwheel: '1' }, { scrollZoom: true }],
  [
    'our names take precedence over aliases',
    { 'rotation-per-second': '5deg', autospin: '1', loading: 'lazy', autostart: '1' },
    { loading: 'lazy', autoRotate: true, rotationPerSecond: '5deg' },
  ],
];

describe('the options in a query', () => {
  for (const [reason, query, options] of rows) {
    it(reason, () => assert.deepEqual(parseQueryOptions(query), { options, warnings: [] }));
  }
});

const warningRows: [query: Query, warning: RegExp][] = [
  [
    { theme: 'drak' },
    /theme="drak" must be "light", "dark" or "auto" \(did you mean "dark"\?\)\.$/,
  ],
  [{ theme: ['dark', 'drak'] }, /theme="drak"/],
  [{ controls: 'zom help' }, /\(did you mean "zoom"\?\)/],
  [{ cameraOrbit: 'auto' }, /is not an option \(did you mean "camera-orbit"\?\)\.$/],
  [{ 'camera-orbitt': 'auto' }, /\(did you mean "camera-orbit"\?\)/],
  [{ utm_source: 'mail' }, /utm_source="mail" is not an option\.$/],
  [{ autospin: '1e9' }, /autospin="1e9" must be a number/],
  [{ autostart: '2' }, /autostart="2" must be a number/],
  [{ background: 'x'.repeat(5000) }, /background="x{59}…" must be a color/],
  [{ 'a\u0000\u202e\nb': '\u0000<script>' }, /: a b="<script>" is not an option\.$/],
  [{ constructor: '1' }, /constructor="1" is not an option/],
  [{ 'auto-rotate': 'constructor' }, /must be true or false/],
];

describe('an ignored parameter has one line that says why', () => {
  for (const [query, warning] of warningRows) {
    it(JSON.stringify(query).slice(0, 60), () => {
      const { options, warnings } = parseQueryOptions(query);
      assert.deepEqual(options, {});
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', warning);
      assert.match(warnings[0] ?? '', /^Ignored in the URL of the iframe: [^\n]{1,300}$/);
    });
  }
});

test('the number of lines and their size are limited', () => {
  const query = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [
      `${'camera'.repeat(10)}${index}`,
      'y'.repeat(1000),
    ]),
  );
  const { warnings } = parseQueryOptions(query);
  assert.equal(warnings.length, 6);
  assert.equal(warnings.at(-1), 'Ignored in the URL of the iframe: 4995 more parameters.');
  assert.ok(JSON.stringify(warnings).length < 2000);
});
