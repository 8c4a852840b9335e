import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { CapturedPoster } from '@cloche/pipeline/poster/poster-renderer';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const OWN_ORIGIN = 'http://cloche.test';
const IFRAME = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' };
const HOSTILE_NAME = `Oak "chair" <img src=x onerror=alert(1)> & 'more' $&`;

const poster: CapturedPoster = {
  images: [
    { kind: 'poster-share', width: 1200, height: 630, bytes: Buffer.from('large jpeg') },
    { kind: 'poster-share-small', width: 480, height: 252, bytes: Buffer.from('small jpeg') },
  ],
  placeholder: { background: '#dfe2e7' },
  hasOneColor: false,
};

async function setUp(t: TestContext, fields: object = { shared: true }) {
  const service = await openTestServer(t, {
    processing: { posterRenderer: { render: async () => poster } },
  });
  const { id } = await uploadTestDesign(service, HOSTILE_NAME);
  const patched = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, fields);
  assert.equal(patched.statusCode, 200, patched.body);
  return { service, id };
}

const get = ({ app }: TestServer, url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { ...HOST_HEADER, ...headers } });

const toViewerConfig = (html: string): ViewerConfig =>
  JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(html)?.[1] ?? '');

/** The style of a page, which its policy must allow. */
function readStyle({ headers, body }: Awaited<ReturnType<typeof get>>): string {
  const style = /<style>(.*?)<\/style>/s.exec(body)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  assert.ok(String(headers['content-security-policy']).includes(`style-src 'sha256-${hash}'`));
  return style;
}

/** The attributes `content` or `href` of the elements in the head, by property, name or type. */
function readHead(html: string): Record<string, string> {
  const elements = html.matchAll(
    /<(?:meta|link) [^>]*?(?:property|name|type)="([^"]+)"[^>]*? (?:content|href)="([^"]*)"/g,
  );
  return Object.fromEntries([...elements].map(([, key = '', value = '']) => [key, value]));
}

describe('GET /share/{id}', () => {
  it('200: the page, with its description for the previews of links', async (t) => {
    const { service, id } = await setUp(t, { shared: true, description: 'Solid "oak".\n$&' });
    const { statusCode, headers, body } = await get(service, `/share/${id.toUpperCase()}?fbclid=x`);
    assert.equal(statusCode, 200, body);
    const page = `${OWN_ORIGIN}/share/${id}`;
    const head = readHead(body);
    const name =
      'Oak &quot;chair&quot; &lt;img src=x onerror=alert(1)&gt; &amp; &#39;more&#39; $&amp;';
    const encodedPage = encodeURIComponent(page);
    assert.deepEqual(
      Object.fromEntries(Object.entries(head).filter(([key]) => key !== 'viewport')),
      {
        'og:type': 'website',
        'og:site_name': 'Cloche',
        'og:title': name,
        'og:url': page,
        'og:description': 'Solid &quot;oak&quot;.\n$&amp;',
        'og:image': `${page}/image.jpg?revision=1`,
        'og:image:type': 'image/jpeg',
        'og:image:width': '1200',
        'og:image:height': '630',
        'og:image:alt': 'Solid &quot;oak&quot;.\n$&amp;',
        'twitter:card': 'summary_large_image',
        description: 'Solid &quot;oak&quot;.\n$&amp;',
        'application/json+oembed': `${OWN_ORIGIN}/oembed?url=${encodedPage}&amp;format=json`,
        'text/xml+oembed': `${OWN_ORIGIN}/oembed?url=${encodedPage}&amp;format=xml`,
      },
    );
    assert.ok(body.includes(`<title>${name} · 3D view</title>`), body);
    assert.ok(body.includes(`<iframe src="/embed/share/v1/${id}?theme=auto" title="${name}"`));
    assert.doesNotMatch(body, /<script|<img/);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; frame-src 'self'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'$/,
    );
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-robots-tag'], 'noindex');
  });

  it('200: the iframe has the attributes of the options of the design', async (t) => {
    const viewer = { title: 'A "chair"', theme: 'dark' };
    const { service, id } = await setUp(t, { shared: true, viewer });
    const first = await get(service, `/share/${id}`);
    // The owner has chosen the theme, so the page does not ask for another one.
    assert.ok(
      first.body.includes(`<iframe src="/embed/share/v1/${id}" title="A &quot;chair&quot;"`),
    );
    assert.match(readStyle(first), /\niframe\{background:#1c1e22\}$/);
    const change = { viewer: { background: 'transparent' } };
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, change);
    const second = await get(service, `/share/${id}`);
    assert.match(readStyle(second), /\niframe\{background:transparent;color-scheme:light\}$/);
  });

  it('200: the picture, while the design is shared', async (t) => {
    const { service, id } = await setUp(t);
    for (const [file, bytes] of [
      ['image.jpg', 'large jpeg'],
      ['image-small.jpg', 'small jpeg'],
    ]) {
      const image = await get(service, `/share/${id}/${file}?revision=1`);
      assert.deepEqual([image.statusCode, image.body], [200, bytes]);
      assert.equal(image.headers['content-type'], 'image/jpeg');
      assert.equal(image.headers['cache-control'], 'no-cache');
    }
    const model = await get(service, `/share/${id}/model.glb`);
    assert.deepEqual([model.statusCode, model.json().code], [404, 'embed.asset']);
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { shared: false });
    const etag = { 'if-none-match': '*' };
    assert.equal((await get(service, `/share/${id}/image.jpg`, etag)).statusCode, 404);
  });

  it('200: a design without a picture', async (t) => {
    const service = await openTestServer(t);
    const { id } = await uploadTestDesign(service);
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { shared: true });
    const head = readHead((await get(service, `/share/${id}`)).body);
    assert.equal(head['twitter:card'], 'summary');
    assert.equal(head['og:image'], undefined);
    assert.equal((await get(service, `/share/${id}/image.jpg`)).json().code, 'embed.asset');
  });

  it('503: a shared design that is still being processed', async (t) => {
    const { service, id } = await setUp(t);
    await connectToServerDatabase(t, service).exec(
      "UPDATE design SET revision_id = NULL, status = 'queued'",
    );
    const invalidated = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { tags: ['a'] });
    assert.equal(invalidated.statusCode, 200, invalidated.body);
    const { statusCode, json } = await get(service, `/share/${id}`, { accept: 'application/json' });
    assert.deepEqual([statusCode, json().code], [503, 'design.not-ready']);
  });
});

describe('the framed document of a shared design', () => {
  it('200: in any page, with a grant that loads the model', async (t) => {
    const { service, id } = await setUp(t);
    for (const headers of [
      { ...IFRAME, referer: 'https://any.example/' },
      { ...IFRAME, origin: 'null' },
      IFRAME,
      // Over plain http, browsers do not send Sec-Fetch headers.
      {},
    ] as Record<string, string>[]) {
      const response = await get(service, `/embed/share/v1/${id}`, headers);
      assert.equal(response.statusCode, 200, response.body);
      const policy = String(response.headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self'/);
      assert.doesNotMatch(policy, /frame-ancestors/);
      assert.equal(response.headers['cross-origin-resource-policy'], 'cross-origin');
      assert.equal(response.headers['cache-control'], 'no-store');
      const { shared, allowedOrigins, grant, model } = toViewerConfig(response.body);
      assert.deepEqual([shared, allowedOrigins], [true, []]);
      const asset = await get(service, model.url, { 'cloche-grant': grant });
      assert.equal(asset.statusCode, 200);
    }
  });

  const refusals: [name: string, code: string, headers: Record<string, string>][] = [
    ['opened as a page', 'embed.not-an-iframe', { 'sec-fetch-dest': 'document' }],
    ['fetched by a script', 'embed.not-an-iframe', { 'sec-fetch-dest': 'empty' }],
    ['a prefetch', 'embed.prefetch', { ...IFRAME, 'sec-purpose': 'prefetch' }],
  ];
  for (const [name, code, headers] of refusals) {
    it(`403 ${code}: ${name}`, async (t) => {
      const { service, id } = await setUp(t);
      const accept = { accept: 'application/json' };
      const refusal = await get(service, `/embed/share/v1/${id}`, { ...accept, ...headers });
      assert.deepEqual([refusal.statusCode, refusal.json().code], [403, code]);
    });
  }

  it('its grant is for its own design only', async (t) => {
    const { service, id } = await setUp(t);
    const other = await uploadTestDesign(service, 'Secret chair');
    const { token } = await issueToken(service);
    const secret = await get(service, `/embed/iframe/v1/${other.id}?token=${token}`, {
      ...IFRAME,
      referer: `${SHOP_ORIGIN}/`,
    });
    const { grant } = toViewerConfig((await get(service, `/embed/share/v1/${id}`, IFRAME)).body);
    const { model } = toViewerConfig(secret.body);
    const asset = await get(service, model.url, { 'cloche-grant': grant });
    assert.deepEqual([asset.statusCode, asset.json().code], [404, 'embed.asset']);
  });
});

describe('a design that is not shared', () => {
  const endings: [
    name: string,
    end: (service: TestServer, id: string, t: TestContext) => unknown,
  ][] = [
    [
      'withdrawn by its owner',
      ({ app, token }, id) =>
        sendRequest({ app, token }, 'PATCH', `/v1/designs/${id}`, { shared: false }),
    ],
    ['deleted', (service, id) => sendRequest(service, 'DELETE', `/v1/designs/${id}`)],
    [
      'of a user who was disabled',
      (service, _id, t) =>
        connectToServerDatabase(t, service).exec(
          `UPDATE "user" SET disabled_at = '2026-11-22T00:00:00Z'`,
        ),
    ],
  ];
  for (const [name, end] of endings) {
    it(`404, at once: ${name}`, async (t) => {
      const { service, id } = await setUp(t);
      const document = await get(service, `/embed/share/v1/${id}`, IFRAME);
      const { grant, model } = toViewerConfig(document.body);
      const urls: [url: string, headers?: Record<string, string>][] = [
        [`/share/${id}`],
        [`/share/${id}/image.jpg`],
        [`/embed/share/v1/${id}`, IFRAME],
        [`/oembed?url=${OWN_ORIGIN}/share/${id}`],
        [model.url, { 'cloche-grant': grant }],
      ];
      const accept = { accept: 'application/json, image/jpeg, model/gltf-binary' };
      const request = async () =>
        Promise.all(urls.map(([url, headers]) => get(service, url, { ...accept, ...headers })));
      assert.deepEqual(
        (await request()).map(({ statusCode }) => statusCode),
        urls.map(() => 200),
      );
      await end(service, id, t);
      for (const { statusCode, body } of await request()) {
        assert.deepEqual([statusCode, JSON.parse(body).code], [404, 'design.not-shared']);
      }
    });
  }

  it('looks like one that does not exist', async (t) => {
    const { service, id } = await setUp(t, { shared: false });
    for (const path of ['/share/', '/embed/share/v1/', `/oembed?url=${OWN_ORIGIN}/share/`]) {
      const [hidden, unknown, invalid] = await Promise.all(
        [id, UNKNOWN_DESIGN_ID, 'x'].map((text) =>
          get(service, path + text, { accept: 'application/json' }),
        ),
      );
      assert.equal(hidden?.statusCode, 404);
      assert.equal(hidden?.body, unknown?.body, path);
      assert.deepEqual(Object.keys(hidden?.headers ?? {}), Object.keys(unknown?.headers ?? {}));
      assert.equal(invalid?.json().code, 'design.not-shared');
    }
    const page = await get(service, `/share/${id}`, { accept: 'text/html' });
    assert.equal(page.statusCode, 404);
    assert.ok(!page.body.includes('Oak'), page.body);
  });
});

describe('who may share a design', () => {
  const tokens: [name: string, scope: object, allowed: boolean][] = [
    ['a token with write and embed', { capabilities: ['write', 'embed'] }, true],
    ['a token without embed', { capabilities: ['read', 'write'] }, false],
    ['a token with origins', { capabilities: ['write', 'embed'], origins: [SHOP_ORIGIN] }, false],
  ];
  for (const [name, scope, allowed] of tokens) {
    it(`${allowed ? 200 : 403}: ${name}`, async (t) => {
      const { service, id } = await setUp(t, { shared: false });
      const { token } = await issueToken(service, { origins: [], ...scope });
      const client = { ...service, token };
      const patch = (shared: boolean) =>
        sendRequest(client, 'PATCH', `/v1/designs/${id}`, { shared });
      const created = await sendRequest(client, 'POST', '/v1/designs?shared=true', 'x', {
        'content-type': 'application/octet-stream',
      });
      const upload = await sendRequest(client, 'POST', '/v1/uploads', undefined, {
        'tus-resumable': '1.0.0',
        'upload-length': '8',
        'upload-metadata': `shared ${Buffer.from('true').toString('base64')}`,
      });
      const responses = [await patch(true), created, upload];
      const expected = allowed ? [200, 422, 201] : responses.map(() => 403);
      assert.deepEqual(
        responses.map(({ statusCode }) => statusCode),
        expected,
      );
      for (const response of allowed ? [] : responses) {
        const { code, field } = response.json();
        assert.deepEqual([code, field], ['token.scope-exceeded', 'shared']);
      }
      assert.equal((await patch(false)).statusCode, 200, 'withdrawing is always allowed');
    });
  }
});
