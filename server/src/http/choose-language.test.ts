import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { chooseLanguage, negotiateLanguage } from './choose-language.ts';

describe('negotiateLanguage', () => {
  const cases: [header: string | undefined, language: string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en-US;q=0.8,en;q=0.7', 'de'],
    ['de-AT,en', 'de'],
    ['DE-ch', 'de'],
    ['pt-BR', 'pt'],
    ['pt-PT, pt;q=0.9', 'pt'],
    ['zh-TW', 'zh'],
    ['zh-Hant-HK,zh;q=0.9', 'zh'],
    ['ar-EG', 'ar'],
    ['sv, fi;q=0.9', 'en'],
    ['sv, nl;q=0.9', 'nl'],
    ['sv-SE, *;q=0.5', 'en'],
    ['en;q=0.2, ja;q=0.8', 'ja'],
    ['fr;q=0', 'en'],
    ['fr;q=0, it;q=0.1', 'it'],
    ['de;q=0, *', 'en'],
    ['den, ita', 'en'],
    [';;;q=,,', 'en'],
    ['de;q=x, fr', 'fr'],
    ['<script>', 'en'],
    ['__proto__', 'en'],
    [`${'xx,'.repeat(4000)}ko`, 'ko'],
  ];
  for (const [header, language] of cases) {
    it(`${header?.slice(0, 40)}: ${language}`, () =>
      assert.equal(negotiateLanguage(header), language));
  }
});

test('the parameter lang comes first; one that we do not have is ignored', () => {
  const choose = (query: object, header = 'fr') =>
    chooseLanguage({ query, headers: { 'accept-language': header } } as never);
  assert.equal(choose({ lang: 'de' }), 'de');
  assert.equal(choose({ lang: 'pt-BR' }), 'pt');
  assert.equal(choose({ lang: 'AR' }), 'ar');
  for (const lang of ['', 'sv', 'constructor', ['de', 'ar'], undefined])
    assert.equal(choose({ lang }), 'fr', String(lang));
  assert.equal(chooseLanguage({ headers: {} } as never), 'en');
});
