import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { METHOD_NAMES } from '@cloche/contract/message';
import { checkArguments } from './argument-checks.ts';
import { hostMethods } from './host-methods.ts';

type MethodName = (typeof METHOD_NAMES)[number];

const ownProto = JSON.parse('{"__proto__":{"orbit":"0deg"}}');
const sparse: unknown[] = [];
sparse[3] = 1;

const valid: [method: MethodName, ...args: unknown[]][] = [
  ['load'],
  ['setOptions', {}],
  ['setOptions', { autoRotate: true, background: '#fafafa', exposure: 1.5, theme: null }],
  ['setOptions', { cameraOrbit: '30deg auto 105%', controls: 'zoom reset', title: 'Chair' }],
  ['setCamera', {}],
  ['setCamera', { orbit: '30deg 75deg 105%', target: 'auto auto auto', fieldOfView: 'auto' }],
  ['setCamera', { orbit: { theta: -7, radius: 2 }, target: { y: 1 } }, { durationMs: 0 }],
  ['setCamera', { orbit: undefined, fieldOfView: 0.5 }, undefined],
  ['resetCamera'],
  ['frame', 0],
  ['frame', undefined, { durationMs: 20_000 }],
  ['setVariant', 'Oak'],
  ['setVariant', '__proto__'],
  ['setVariant', null],
  ['seek', 0.5],
  ['showParts', []],
  ['hideParts', [0, 1, 99_999]],
  ['setPartColor', [1], '#aaBB00'],
  ['setPartColor', [1], null],
  ['toBlob'],
  ['toBlob', { type: 'image/webp', quality: 0.8, width: 4096, height: 1 }],
  ['pick', 10.5, -3],
];

const invalid: [wrong: RegExp, method: MethodName, ...args: unknown[]][] = [
  [/at most 0 arguments, not 1/, 'load', true],
  [/'options' must be an object/, 'setOptions'],
  [/'options' must be an object/, 'setOptions', null],
  [/'options' must be an object/, 'setOptions', []],
  [/'options' must be an object/, 'setOptions', new Map([['autoRotate', true]])],
  [/'options' must be an object/, 'setOptions', new Blob([])],
  [/'options' has no field 'autorotate'/, 'setOptions', { autorotate: true }],
  [/'options' has no field 'constructor'/, 'setOptions', { constructor: 1 }],
  [/'options' has no field '__proto__'/, 'setOptions', ownProto],
  [/'options'\.autoRotate must be true or false/, 'setOptions', { autoRotate: 'true' }],
  [/'options'\.exposure must be a number from 0 to 8/, 'setOptions', { exposure: Number.NaN }],
  [/'options'\.theme must be/, 'setOptions', { theme: 'toString' }],
  [/'options'\.background must be/, 'setOptions', { background: 'url(x)' }],
  [/'options'\.controls must be/, 'setOptions', { controls: 'zoom annotations2' }],
  [/'options'\.title must be/, 'setOptions', { title: 'x'.repeat(201) }],
  [/'change' must be an object/, 'setCamera', '30deg'],
  [/'change' has no field '__proto__'/, 'setCamera', ownProto],
  [/'change'\.orbit must be/, 'setCamera', { orbit: 'thirty' }],
  [/'change'\.orbit must be/, 'setCamera', { orbit: 1n }],
  [/'change'\.orbit.*theta must be a number/, 'setCamera', { orbit: { theta: '30deg' } }],
  [/'change'\.orbit.*phi must be a number from 0/, 'setCamera', { orbit: { phi: 4 } }],
  [/'change'\.orbit.*radius/, 'setCamera', { orbit: { radius: Number.POSITIVE_INFINITY } }],
  [/'change'\.target.*no field 'w'/, 'setCamera', { target: { x: 0, w: 1 } }],
  [/'movement'\.durationMs.*from 0 to 20000/, 'setCamera', {}, { durationMs: 20_001 }],
  [/'movement' must be an object/, 'resetCamera', 300],
  [/at most 2 arguments, not 3/, 'setCamera', {}, {}, {}],
  [/'part' must be the id/, 'frame', -1],
  [/'part' must be the id/, 'frame', 1.5],
  [/'part' must be the id/, 'frame', '1'],
  [/'part' must be the id/, 'frame', null],
  [/'name' must be a string .*, or null/, 'setVariant'],
  [/'name' must be a string/, 'setVariant', { toString: 1 }],
  [/'name' must be a string/, 'setVariant', 'x'.repeat(1001)],
  [/'name' must be a string/, 'selectAnimation', null],
  [/'time' must be a number/, 'seek', Number.NaN],
  [/'time' must be a number/, 'seek', '1'],
  [/'ids' must be an array of at most 100000/, 'showParts', new Array(100_001).fill(1)],
  [/'ids'\[0\] must be the id of a part/, 'showParts', sparse],
  [/'ids'\[1\] must be the id of a part/, 'showParts', [1, [2]]],
  [/'ids' must be an array/, 'showParts', new Uint8Array(2)],
  [/'ids' must be an array/, 'showParts', { length: 1, 0: 1 }],
  [/'color' must be .*, or null/, 'setPartColor', [1], 'red'],
  [/'color' must be/, 'setPartColor', [1], '#fff;x'],
  [/'color' must be/, 'setPartColor', [1]],
  [/'options'\.type must be one of/, 'toBlob', { type: 'image/svg+xml' }],
  [/'options'\.width must be a number from 1 to 4096/, 'toBlob', { width: 1e9 }],
  [/'x' must be a number/, 'pick'],
  [/'y' must be a number/, 'pick', 1, Number.NEGATIVE_INFINITY],
];

const check = (method: MethodName, args: readonly unknown[]) =>
  checkArguments(args, hostMethods[method].parameters);
const describeArguments = (args: readonly unknown[]) =>
  args.map((value) => Object.prototype.toString.call(value).slice(8, -1)).join(', ');

describe('the arguments of a method', () => {
  for (const [index, [method, ...args]] of valid.entries()) {
    it(`accepted ${index}: ${method}(${describeArguments(args)})`, () => {
      assert.equal(check(method, args), undefined);
    });
  }

  for (const [index, [wrong, method, ...args]] of invalid.entries()) {
    it(`rejected ${index}: ${method}(${describeArguments(args)}), ${wrong.source}`, () => {
      assert.match(check(method, args) ?? 'accepted', wrong);
    });
  }

  it('an object of any size is rejected at its first unknown field', () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, i]));
    const wrong = check('setCamera', [fields]) ?? '';
    assert.match(wrong, /no field 'f0'/);
    assert.ok(wrong.length < 1000);
  });

  it('each method of the protocol has its checks, in the order of the contract', () => {
    assert.deepEqual(Object.keys(hostMethods), [...METHOD_NAMES]);
  });
});
