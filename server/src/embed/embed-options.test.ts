import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';

async function openEmbed(t: Parameters<typeof openTestServer>[0]) {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const frameHeaders = { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };
  const get = (query: string, headers: Record<string, string> = {}) =>
    service.app.inject({
      url: `/embed/iframe/v1/${design.id}?${query}`,
      headers: { ...HOST_HEADER, ...frameHeaders, ...headers },
    });
  const readConfig = async (query: string): Promise<ViewerConfig> => {
    const { statusCode, body } = await get(query);
    assert.equal(statusCode, 200, body);
    return JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(body)?.[1] ?? '');
  };
  const setDefaults = async (viewer: object | null) => {
    const response = await sendRequest(service, 'PATCH', `/v1/designs/${design.id}`, { viewer });
    assert.equal(response.statusCode, 200, response.body);
  };
  return { service, design, token, get, readConfig, setDefaults };
}

test('200: the options of the URL are in the config, and each ignored parameter has one line', async (t) => {
  const { token, readConfig } = await openEmbed(t);
  const plain = await readConfig(`token=${token}`);
  assert.ok(!('options' in plain) && !('optionWarnings' in plain));
  const { options, optionWarnings } = await readConfig(
    `token=${token}&camera-orbit=30deg+75deg%20105%25&background=%23fab&autospin=1&theme=drak&x=1`,
  );
  assert.deepEqual(options, {
    cameraOrbit: '30deg 75deg 105%',
    autoRotate: true,
    rotationPerSecond: '30deg',
    background: '#ffaabb',
  });
  assert.equal(optionWarnings?.length, 2);
});

test('200: the order of the parameters does not matter, and the first document is not the second', async (t) => {
  const { token, readConfig } = await openEmbed(t);
  for (const theme of ['dark', 'light', 'dark']) {
    assert.deepEqual((await readConfig(`theme=${theme}&token=${token}&lang=de`)).options, {
      theme,
      lang: 'de',
    });
  }
  assert.ok(!('options' in (await readConfig(`token=${token}`))));
});

test('200: the defaults of the design apply at once, and those of the URL take precedence', async (t) => {
  const { token, readConfig, setDefaults } = await openEmbed(t);
  assert.ok(!('options' in (await readConfig(`token=${token}`))));
  await setDefaults({ theme: 'dark', exposure: 2, autoRotate: true });
  assert.deepEqual((await readConfig(`token=${token}`)).options, {
    autoRotate: true,
    exposure: 2,
    theme: 'dark',
  });
  assert.deepEqual((await readConfig(`token=${token}&exposure=1&auto-rotate=0`)).options, {
    autoRotate: false,
    exposure: 1,
    theme: 'dark',
  });
  await setDefaults(null);
  assert.ok(!('options' in (await readConfig(`token=${token}`))));
});

test('the language is that of the URL, else of the design, else of the visitor', async (t) => {
  const { token, get, setDefaults } = await openEmbed(t);
  const readLanguage = async (query: string) => {
    const { body, headers } = await get(`token=${token}${query}`, { 'accept-language': 'fr' });
    const [, language] = /<html lang="(\w+)"/.exec(body) ?? [];
    assert.equal(headers['content-language'], language);
    return language;
  };
  assert.equal(await readLanguage(''), 'fr');
  assert.equal(await readLanguage('&lang=de-AT'), 'de');
  assert.equal(await readLanguage('&lang=xx'), 'fr');
  await setDefaults({ lang: 'it' });
  assert.equal(await readLanguage(''), 'it');
  assert.equal(await readLanguage('&lang=de'), 'de');
});

test('the first paint has theme, background and title, and the policy allows this background only', async (t) => {
  const { token, get } = await openEmbed(t);
  const plain = await get(`token=${token}`);
  assert.match(plain.body, /<html lang="en"><title>Oak chair<\/title>/);
  const { body, headers } = await get(
    `token=${token}&theme=dark&background=203040&title=${encodeURIComponent('</title><b>"')}`,
  );
  assert.match(
    body,
    /<html lang="en" data-theme="dark" data-own-background="#203040"><style>:root\{--own-background:#203040\}<\/style><title>&lt;\/title&gt;&lt;b&gt;&quot;<\/title>/,
  );
  const policy = (response: typeof plain) =>
    / style-src ([^;]*)/.exec(String(response.headers['content-security-policy']))?.[1];
  assert.equal(policy(plain), "'self' 'sha256-style'");
  assert.match(
    policy({ headers } as typeof plain) ?? '',
    /^'self' 'sha256-style' 'sha256-[\w+/]{43}='$/,
  );
});

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '"onload="alert(1)',
  "'}</style><b>",
  '{{title}}',
  '$&$`',
];
test('hostile values of any parameter stay text', async (t) => {
  const { token, get } = await openEmbed(t);
  for (const value of HOSTILE) {
    for (const name of [
      'title',
      'variant-name',
      'background',
      'theme',
      'lang',
      'camera-orbit',
      value,
    ]) {
      const { body, statusCode } = await get(
        `token=${token}&${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
      );
      assert.equal(statusCode, 200, name);
      assert.equal(body.match(/<script/g)?.length, 1, name);
      assert.doesNotMatch(body, /<b>|<style|onload="/, name);
    }
  }
});

test('the token is read as before, whatever else is in the query', async (t) => {
  const { service, token, get } = await openEmbed(t);
  const rows: [query: string, status: number][] = [
    [`token=${token}&token=${token}`, 401],
    [`Token=${token}`, 401],
    ['theme=dark', 401],
    [`theme=dark&token=${service.token}`, 403],
    [`token=${token}&theme=%zz&%zz=dark`, 200],
    [`token=${token}&${'theme=dark&'.repeat(500)}`, 200],
    [`token=${token}&__proto__=1&constructor=1&toString=1`, 200],
    [`token=${token}&title=%00`, 200],
  ];
  for (const [query, status] of rows) {
    assert.equal((await get(query)).statusCode, status, query.slice(0, 80));
  }
});
