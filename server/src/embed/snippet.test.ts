import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { issueToken, SHOP_ORIGIN, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import type { ReadyRevision } from '../designs/design.ts';
import { createSnippet } from './snippet.ts';

const UNKNOWN_DESIGN_URI = 'cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';

const requestSnippet = (service: Pick<TestServer, 'app' | 'token'>, uri: string, accept?: string) =>
  sendRequest(service, 'POST', '/embed/iframe/v1', { uri }, accept === undefined ? {} : { accept });

/** Parses an iframe element strictly: nothing may be between the attributes. */
function parseIframe(html: string): Record<string, string> {
  const match = /^<iframe((?: [a-z]+(?:="[^"<>]*")?)+)><\/iframe>$/.exec(html);
  assert.ok(match, html);
  const attributes = [...(match[1] ?? '').matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)];
  return Object.fromEntries(attributes.map(([, name = '', value = '']) => [name, value]));
}

test('200: the HTML, with these attributes and no others', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'Oak chair');
  const response = await requestSnippet(service, design.uri);
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(response.headers['cache-control'], 'no-store');
  assert.equal(response.headers.vary, 'accept, origin');
  const { style = '', ...rest } = parseIframe(response.body);
  assert.deepEqual(rest, {
    src: `http://cloche.test/embed/iframe/v1/${design.id}?token=CLOCHE_EMBED_TOKEN`,
    title: 'Oak chair',
    loading: 'lazy',
    referrerpolicy: 'strict-origin',
    allow: 'fullscreen; xr-spatial-tracking',
  });
  assert.equal(
    style,
    'display:block;width:100%;aspect-ratio:1.03;border:0;background:#dfe2e7',
    'the aspect ratio of a cube',
  );
});

describe('createSnippet', () => {
  const DESIGN = { id: '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55', name: 'Oak chair', viewer: {} };
  type Bounds = { min: number[]; max: number[] };
  const createStyle = (bounds?: Bounds, background?: string) => {
    const posterPlaceholder = background === undefined ? undefined : { background };
    const revision = { stats: { bounds }, posterPlaceholder } as unknown as ReadyRevision;
    const { html } = createSnippet({ ...DESIGN, revision }, 'https://cloche.example');
    return parseIframe(html).style ?? '';
  };

  const aspects: [reason: string, bounds: Bounds | undefined, aspect: string][] = [
    ['a chair', { min: [-0.3, 0, -0.3], max: [0.3, 1, 0.3] }, '0.75'],
    ['a car', { min: [-1, 0, -2.2], max: [1, 1.4, 2.2] }, '1.5'],
    ['a tower is not higher than 4/3 of its width', { min: [0, 0, 0], max: [1, 40, 1] }, '0.75'],
    ['a plank is not wider than 16/9', { min: [0, 0, 0], max: [40, 0.1, 1] }, '1.78'],
    ['a point has the default', { min: [1, 1, 1], max: [1, 1, 1] }, '1.33'],
    ['without bounds, the default', undefined, '1.33'],
  ];
  for (const [reason, bounds, aspect] of aspects) {
    it(`aspect ratio: ${reason}`, () => {
      assert.match(createStyle(bounds), new RegExp(`;aspect-ratio:${aspect.replace('.', '\\.')};`));
    });
  }

  it('the background is that of the poster, else the default', () => {
    assert.match(createStyle(undefined, '#203040'), /;background:#203040$/);
    assert.match(createStyle(), /;background:#dfe2e7$/);
  });

  it('a design that has no revision yet has the defaults', () => {
    const { html } = createSnippet({ ...DESIGN, revision: undefined }, 'https://cloche.example');
    assert.match(html, /aspect-ratio:1.33;border:0;background:#dfe2e7"/);
  });
});

const hostileNames = [
  '"><script>alert(1)</script>',
  "' onload='alert(1)",
  '</script><!--',
  '{{viewerConfig}}',
  '{{title}}',
  "$& $1 $` $'",
  '&quot;&amp;&lt;',
  'CLOCHE_EMBED_TOKEN',
  '\u0024{alert(1)}',
  '<iframe src=x>',
  '🪑 Stühle – „Eiche“',
];

for (const name of hostileNames) {
  test(`200: the name ${name} is escaped in the title`, async (t) => {
    const service = await openTestServer(t);
    const design = await uploadTestDesign(service, name);
    const { html, ...rest } = (
      await requestSnippet(service, design.uri, 'application/json')
    ).json();
    const { title = '', src = '' } = parseIframe(html);
    const unescaped = title
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&#95;', '_')
      .replaceAll('&amp;', '&');
    assert.equal(unescaped, name);
    assert.equal(html.split('?token=CLOCHE_EMBED_TOKEN"').length, 2);
    assert.deepEqual(rest, {
      src,
      placeholder: 'CLOCHE_EMBED_TOKEN',
      uri: design.uri,
    });
  });
}

test('200: HTML if the client accepts it, else JSON; 406 for other types', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service);
  const rows: [accept: string | undefined, type: string | undefined][] = [
    [undefined, 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
    ['text/html', 'text/html; charset=utf-8'],
    ['text/*', 'text/html; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['text/html;q=0.5, application/json', 'text/html; charset=utf-8'],
    ['text/html;q=0, */*', 'application/json; charset=utf-8'],
    ['image/png', undefined],
    ['text/plain', undefined],
    ['application/xml', undefined],
  ];
  for (const [accept, type] of rows) {
    const response = await requestSnippet(service, uri, accept);
    assert.equal(response.statusCode, type === undefined ? 406 : 200, accept);
    if (type !== undefined) assert.equal(response.headers['content-type'], type, accept);
  }
});

// The Accept header that each client sends if the program sets none.
const defaultAcceptHeaders: [client: string, accept: string | undefined, json?: 'json'][] = [
  ['fetch in browsers, Node, Deno and Bun; ky; undici', '*/*'],
  ['axios', 'application/json, text/plain, */*'],
  ['Angular HttpClient', 'application/json, text/plain, */*'],
  ['jQuery.ajax, superagent in browsers', '*/*'],
  ['jQuery with dataType "html"', 'text/html, */*; q=0.01'],
  ['jQuery with dataType "json"', 'application/json, text/javascript, */*; q=0.01'],
  ['ky(…).text()', 'text/*'],
  ['ky(…).json(), got(…).json()', 'application/json', 'json'],
  ['node:http, got, superagent in Node', undefined],
  ['Python requests, httpx, aiohttp', '*/*'],
  ['Python urllib', undefined],
  ['curl, wget, HTTPie, Postman, Insomnia', '*/*'],
  ['HTTPie with a JSON body', 'application/json, */*;q=0.5'],
  ['Go net/http', undefined],
  ['PHP streams, Guzzle', undefined],
  ['PHP cURL, WordPress wp_remote_post', '*/*'],
  ['Ruby Net::HTTP, Faraday, HTTParty', '*/*'],
  ['Rails ActiveResource', 'application/json', 'json'],
  ['Java HttpClient, OkHttp, Retrofit', undefined],
  ['Java HttpURLConnection', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
  ['Spring RestTemplate for a string', 'text/plain, application/json, application/*+json, */*'],
  ['.NET HttpClient', undefined],
  [
    'RestSharp',
    'application/json, text/json, text/x-json, text/javascript, application/xml, text/xml',
    'json',
  ],
  ['Rust reqwest', '*/*'],
  ['Dart http', undefined],
  [
    'the address bar of Chromium',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  ],
];

test('200: HTML for the default Accept header of every usual client', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service);
  for (const [client, accept, json] of defaultAcceptHeaders) {
    const response = await requestSnippet(service, uri, accept);
    assert.equal(response.statusCode, 200, client);
    const type = json === 'json' ? 'application/json' : 'text/html';
    assert.equal(response.headers['content-type'], `${type}; charset=utf-8`, client);
    const html = json === 'json' ? response.json().html : response.body;
    assert.match(html, /^<iframe /, client);
  }
});

test('200: a public token gets the name of the design on its own pages only', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service, 'Oak chair');
  const limited = { origins: [SHOP_ORIGIN] };
  const publicToken = (await issueToken(service, limited)).token;
  const readToken = (await issueToken(service, { ...limited, capabilities: ['read'] })).token;
  const rows: [token: string, headers: Record<string, string>, title: string][] = [
    [publicToken, {}, '3D view'],
    [publicToken, { 'sec-fetch-site': 'none' }, '3D view'],
    [publicToken, { referer: `${SHOP_ORIGIN}/` }, '3D view'],
    [publicToken, { origin: SHOP_ORIGIN }, 'Oak chair'],
    [readToken, {}, 'Oak chair'],
    [readToken, { origin: SHOP_ORIGIN }, 'Oak chair'],
    [service.token, {}, 'Oak chair'],
  ];
  for (const [token, headers, title] of rows) {
    for (const accept of ['text/html', 'application/json']) {
      const client = { app: service.app, token };
      const response = await sendRequest(
        client,
        'POST',
        '/embed/iframe/v1',
        { uri },
        {
          accept,
          ...headers,
        },
      );
      const html = accept === 'text/html' ? response.body : response.json().html;
      assert.equal(parseIframe(html).title, title, JSON.stringify(headers));
      assert.equal(response.body.includes('Oak chair'), title === 'Oak chair');
    }
  }
});

test('200 and 403: tokens with read or embed get the HTML, tokens with only write do not', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service);
  for (const [capability, status] of [
    ['read', 200],
    ['embed', 200],
    ['write', 403],
  ] as const) {
    const { token } = await issueToken(service, { capabilities: [capability] });
    const response = await requestSnippet({ app: service.app, token }, uri);
    assert.equal(response.statusCode, status, capability);
  }
});

test('400: a text that is not the URI of a design', async (t) => {
  const service = await openTestServer(t);
  const { id, uri } = await uploadTestDesign(service);
  const rows: [body: object | string, field: string][] = [
    [{}, 'uri'],
    [{ uri: id }, 'uri'],
    [{ uri: [uri] }, 'uri'],
    [{ uri: uri.toUpperCase() }, 'uri'],
    [{ uri: `${uri}\n` }, 'uri'],
    [{ uri: ` ${uri}` }, 'uri'],
    [{ uri: `${uri}?token=x` }, 'uri'],
    [{ uri: 'urn:uuid:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55' }, 'uri'],
    [{ uri, autostart: true }, 'autostart'],
    [[uri], 'body'],
  ];
  for (const [body, field] of rows) {
    const response = await sendRequest(service, 'POST', '/embed/iframe/v1', body);
    assert.equal(response.statusCode, 400, JSON.stringify(body));
    assert.equal(response.json().field, field, JSON.stringify(body));
  }
  assert.equal((await requestSnippet(service, UNKNOWN_DESIGN_URI)).statusCode, 404);
});
