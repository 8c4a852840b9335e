import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEmbedUrl } from './embed-url.ts';
import { parseOptionAttribute, pickOptions, toKebabCase } from './option-names.ts';
import { ClocheError } from './sdk-error.ts';

const ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const SERVICE = 'https://cloche.example.com';
const DOCUMENT = `${SERVICE}/embed/iframe/v1/${ID}`;

describe('the URL of the framed document', () => {
  const rows: [string, Parameters<typeof createEmbedUrl>[0], string][] = [
    ['a URI', { design: `cloche:design:${ID}`, token: 't', service: SERVICE }, '?token=t'],
    ['an id', { design: ID, token: 't', service: `${SERVICE}/any/path` }, '?token=t'],
    ['a src', { src: `${DOCUMENT}?token=t` }, '?token=t'],
    ['a src before a design', { src: `${DOCUMENT}?token=t`, design: 'other' }, '?token=t'],
    [
      'options, which replace those of the src',
      { src: `${DOCUMENT}?token=t&theme=dark`, theme: 'light', autoplay: false, exposure: 1.5 },
      '?token=t&theme=light&autoplay=false&exposure=1.5',
    ],
    [
      'text that is not safe in a URL',
      { src: `${DOCUMENT}?token=t`, variantName: 'a&b=#1', background: '#fff' },
      '?token=t&variant-name=a%26b%3D%231&background=%23fff',
    ],
  ];
  for (const [name, source, query] of rows) {
    it(name, () => assert.equal(createEmbedUrl(source), DOCUMENT + query));
  }

  for (const source of [
    {},
    { design: ID, token: 't' },
    { design: ID, service: SERVICE },
    { design: ID, token: 't', service: 'cloche' },
    { src: '/relative' },
    { src: 'javascript:alert(1)' },
    { src: 'data:text/html,1' },
  ]) {
    it(`sdk.invalid-source: ${JSON.stringify(source)}`, () => {
      assert.throws(
        () => createEmbedUrl(source),
        (error) => error instanceof ClocheError && error.code === 'sdk.invalid-source',
      );
    });
  }
});

describe('options', () => {
  it('are those of the contract, and no other properties', () => {
    const properties = { theme: 'dark', lang: undefined, token: 't', toString: 1, className: 'a' };
    assert.deepEqual(pickOptions(properties), { theme: 'dark' });
  });

  it('have names in kebab-case', () => {
    assert.equal(toKebabCase('maxCameraOrbit'), 'max-camera-orbit');
    assert.equal(toKebabCase('lang'), 'lang');
  });

  for (const [name, text, value] of [
    ['autoRotate', '', true],
    ['autoRotate', 'true', true],
    ['autoRotate', '1', true],
    ['autoRotate', 'false', false],
    ['autoRotate', '0', false],
    // The viewer says what is wrong.
    ['autoRotate', 'yes', 'yes'],
    ['exposure', '1.5', 1.5],
    ['exposure', '', ''],
    ['exposure', 'bright', Number.NaN],
    ['cameraOrbit', '30deg auto auto', '30deg auto auto'],
    ['variantName', '1', '1'],
  ] as const) {
    it(`the attribute ${name}="${text}" is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(parseOptionAttribute(name, text), value);
    });
  }
});
