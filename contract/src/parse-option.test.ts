import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { findOptionAlias, optionAliases } from './option-aliases.ts';
import { normalizeOptions, parseOption, parseOptionText } from './parse-option.ts';
import {
  toParameterName,
  VIEWER_OPTION_NAMES,
  type ViewerOptionName,
  viewerOptions,
} from './viewer-options.ts';

type Row = [name: ViewerOptionName, value: unknown, normalized: unknown];

const INVALID = undefined;
const jsonRows: Row[] = [
  ['cameraOrbit', ' 30DEG  75deg\t105% ', '30deg 75deg 105%'],
  ['cameraOrbit', '30 75 105', INVALID],
  ['cameraOrbit', { theta: 1 }, INVALID],
  ['cameraTarget', '0m 0.4m 0m', '0m 0.4m 0m'],
  ['cameraTarget', '0m 0.4m 0m 1m', INVALID],
  ['fieldOfView', '25deg', '25deg'],
  ['fieldOfView', 'auto', 'auto'],
  ['fieldOfView', '0deg', INVALID],
  ['fieldOfView', '1deg', '1deg'],
  ['fieldOfView', '150deg', '150deg'],
  ['fieldOfView', '151deg', INVALID],
  ['fieldOfView', '-25deg', INVALID],
  ['fieldOfView', '0.5rad', '0.5rad'],
  ['autoRotate', true, true],
  ['autoRotate', false, false],
  ['autoRotate', 'true', INVALID],
  ['autoRotate', 1, INVALID],
  ['autoRotate', null, INVALID],
  ['autoRotateDelay', 0, 0],
  ['autoRotateDelay', 600_000, 600_000],
  ['autoRotateDelay', 600_001, INVALID],
  ['autoRotateDelay', -1, INVALID],
  ['autoRotateDelay', Number.NaN, INVALID],
  ['autoRotateDelay', Number.POSITIVE_INFINITY, INVALID],
  ['autoRotateDelay', '1000', INVALID],
  ['exposure', 1.2, 1.2],
  ['exposure', 8.001, INVALID],
  ['rotationPerSecond', '-12deg', '-12deg'],
  ['rotationPerSecond', 12, INVALID],
  ['background', '#FAB', '#ffaabb'],
  ['background', 'transparent', 'transparent'],
  ['background', 'fab', INVALID],
  ['background', 'red;--x:url(//evil.example)', INVALID],
  ['background', '#fff}</style><script>alert(1)</script>', INVALID],
  ['theme', 'dark', 'dark'],
  ['theme', 'Dark', INVALID],
  ['theme', 'constructor', INVALID],
  ['controls', 'all', 'all'],
  ['controls', 'none', 'none'],
  ['controls', 'fullscreen  zoom zoom', 'zoom fullscreen'],
  ['controls', 'zoom all', INVALID],
  ['controls', '', INVALID],
  ['controls', 'zoom '.repeat(1000), INVALID],
  ['lang', 'de', 'de'],
  ['lang', 'xx', INVALID],
  ['title', '</script>"\'<b>🪑', '</script>"\'<b>🪑'],
  ['title', '🪑'.repeat(200), '🪑'.repeat(200)],
  ['title', '🪑'.repeat(201), INVALID],
  ['title', 'x'.repeat(1_000_000), INVALID],
  ['title', ' ', INVALID],
  ['title', '', INVALID],
  ['title', 'a\nb', INVALID],
  ['title', 'a\u0000b', INVALID],
  ['title', 'a\u202eb', INVALID],
  ['title', 'a\ud800b', INVALID],
  ['variantName', ' Oak ', ' Oak '],
];

describe('an option in JSON', () => {
  for (const [name, value, normalized] of jsonRows) {
    it(`${name}: ${String(JSON.stringify(value)).slice(0, 60)}`, () => {
      const parsed = parseOption(name, value);
      if (normalized !== INVALID) assert.deepEqual(parsed, { value: normalized });
      else assert.match('expected' in parsed ? parsed.expected : 'valid', /^must be /);
    });
  }
});

const textRows: Row[] = [
  ['autoRotate', '', true],
  ['autoRotate', '1', true],
  ['autoRotate', 'true', true],
  ['autoRotate', '0', false],
  ['autoRotate', 'false', false],
  ['autoRotate', 'TRUE', INVALID],
  ['autoRotate', 'yes', INVALID],
  ['exposure', '1.5', 1.5],
  ['exposure', '+.5', 0.5],
  ['exposure', '1e0', INVALID],
  ['exposure', '', INVALID],
  ['exposure', ' 1', INVALID],
  ['exposure', 'NaN', INVALID],
  ['exposure', '0x1', INVALID],
  ['exposure', `1.${'0'.repeat(100_000)}`, INVALID],
  ['background', 'F4f1ec', '#f4f1ec'],
  ['background', 'fab', '#ffaabb'],
  ['background', '#fab', '#ffaabb'],
  ['background', 'red', INVALID],
  ['background', '', INVALID],
  ['title', '1', '1'],
  ['lang', 'de-AT', 'de'],
  ['lang', 'ZH', 'zh'],
  ['lang', '-de', INVALID],
  ['variantName', 'true', 'true'],
];

describe('an option in a URL', () => {
  for (const [name, text, normalized] of textRows) {
    it(`${name}=${String(text).slice(0, 60)}`, () => {
      const parsed = parseOptionText(name, String(text));
      if (normalized !== INVALID) assert.deepEqual(parsed, { value: normalized });
      else assert.match('expected' in parsed ? parsed.expected : 'valid', /^must be /);
    });
  }
});

test('the example of each option is valid, and its own normal form', () => {
  for (const name of VIEWER_OPTION_NAMES) {
    const { example } = viewerOptions[name];
    assert.deepEqual(parseOption(name, example), { value: example }, name);
    assert.deepEqual(parseOptionText(name, String(example)), { value: example }, name);
  }
});

test('normalized options have the order of the table, and no invalid or unknown ones', () => {
  const options = { title: 'Chair', __proto__: { theme: 'dark' }, exposure: 9, x: 1, lang: 'de' };
  assert.equal(
    JSON.stringify(normalizeOptions(options)),
    '{"theme":"dark","lang":"de","title":"Chair"}',
  );
});

test('no name in a URL is that of two options, of an alias, or of a parameter of the service', () => {
  const names = [...VIEWER_OPTION_NAMES.map(toParameterName), ...Object.keys(optionAliases)];
  assert.equal(new Set(names).size, names.length);
  for (const reserved of ['token', 'link', 'annotations', 'measure', 'ar'])
    assert.ok(!names.includes(reserved), reserved);
});

test('each alias results in valid options', () => {
  for (const [alias, { names }] of Object.entries(optionAliases)) {
    for (const value of [0, 1]) {
      const options = findOptionAlias(alias)?.toOptions(value) ?? assert.fail(alias);
      assert.deepEqual(normalizeOptions(options), options, `${alias}=${value}`);
      for (const name of Object.keys(options))
        assert.ok(
          names.some((item) => item === name),
          name,
        );
    }
    assert.equal(findOptionAlias(alias)?.toOptions(Number.NaN), undefined, alias);
  }
  assert.equal(findOptionAlias('constructor'), undefined);
  assert.equal(findOptionAlias('__proto__'), undefined);
});
