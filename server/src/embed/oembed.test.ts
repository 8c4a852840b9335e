import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { CapturedPoster } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, HOST_HEADER, sendRequest } from '../../testing/requests.ts';
import { type OEmbed, toOEmbedXml } from './oembed.ts';

const OWN_ORIGIN = 'http://cloche.test';
const NAME = `Oak "chair" <b> & 'more' ]]>`;

const poster: CapturedPoster = {
  images: [
    { kind: 'poster-share', width: 1200, height: 630, bytes: Buffer.from('large jpeg') },
    { kind: 'poster-share-small', width: 480, height: 252, bytes: Buffer.from('small jpeg') },
  ],
  placeholder: { background: '#dfe2e7' },
  hasOneColor: false,
};

async function setUp(t: TestContext) {
  const service = await openTestServer(t, {
    processing: { posterRenderer: { render: async () => poster } },
    formerOrigins: ['https://old.example'],
  });
  const query = new URLSearchParams({ name: NAME, shared: 'true' });
  const url = `/v1/designs?${query}`;
  const created = await sendRequest(service, 'POST', url, makeBox(), GLB_HEADERS);
  assert.equal(created.statusCode, 201, created.body);
  const { id } = created.json();
  const page = `${OWN_ORIGIN}/share/${id}`;
  const request = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    service.app.inject({
      url: `/oembed?${new URLSearchParams({ url: page, ...parameters })}`,
      headers: { ...HOST_HEADER, ...headers },
    });
  return { service, id, page, request };
}

describe('GET /oembed', () => {
  it('200: an iframe that works on any page', async (t) => {
    const { id, page, request } = await setUp(t);
    // Clients add parameters of their own: WordPress sends dnt.
    const response = await request(
      { dnt: '1' },
      { accept: 'application/json+oembed', origin: 'https://a.example' },
    );
    assert.equal(response.statusCode, 200, response.body);
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(response.headers['access-control-allow-origin'], '*');
    assert.equal(response.headers['cache-control'], 'no-cache');
    const { html, width, height, ...rest }: OEmbed = response.json();
    assert.deepEqual(rest, {
      version: '1.0',
      type: 'rich',
      title: NAME,
      provider_name: 'Cloche',
      provider_url: OWN_ORIGIN,
      cache_age: 86_400,
      thumbnail_url: `${page}/image.jpg?revision=1`,
      thumbnail_width: 1200,
      thumbnail_height: 630,
    });
    assert.equal(width, 800);
    assert.equal(
      html,
      `<iframe src="${OWN_ORIGIN}/embed/share/v1/${id}" title="Oak &quot;chair&quot; &lt;b&gt; &amp; &#39;more&#39; ]]&gt;" width="800" height="${height}" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="border:0;max-width:100%;height:auto;aspect-ratio:800/${height};background:#dfe2e7"></iframe>`,
    );
  });

  it('200: the iframe has the attributes of the options of the design', async (t) => {
    const { service, id, request } = await setUp(t);
    const viewer = { title: 'A "chair"', loading: 'eager', background: 'transparent' };
    const patched = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { viewer });
    assert.equal(patched.statusCode, 200, patched.body);
    const { html }: OEmbed = (await request({})).json();
    assert.match(
      html,
      / title="A &quot;chair&quot;" .* loading="eager" .*;background:transparent;color-scheme:light"/,
    );
  });

  it('200: width, height and thumbnail fit the limits, with the aspect ratio of the design', async (t) => {
    const { request } = await setUp(t);
    const aspectOf = ({ width, height }: OEmbed) => width / height;
    const full: OEmbed = (await request({})).json();
    const rows: [limits: Record<string, string>, thumbnailWidth: number | undefined][] = [
      [{ maxwidth: '600' }, 480],
      [{ maxwidth: '479' }, undefined],
      [{ maxheight: '252' }, 480],
      [{ maxwidth: '500', maxheight: '200' }, undefined],
      [{ maxwidth: '100000', maxheight: '100000' }, 1200],
    ];
    for (const [limits, thumbnailWidth] of rows) {
      const embed: OEmbed = (await request(limits)).json();
      assert.ok(embed.width <= Number(limits.maxwidth ?? 800), JSON.stringify(embed));
      assert.ok(embed.height <= Number(limits.maxheight ?? 10_000), JSON.stringify(embed));
      assert.ok(embed.width >= 150 && embed.width <= 800);
      assert.ok(Math.abs(aspectOf(embed) - aspectOf(full)) < 0.02, JSON.stringify([embed, full]));
      assert.equal(embed.thumbnail_width, thumbnailWidth, JSON.stringify(limits));
    }
    const tiny: OEmbed = (await request({ maxwidth: '1', maxheight: '1' })).json();
    assert.deepEqual([tiny.width, tiny.height], [1, 1]);
  });

  it('200: XML with the same values', async (t) => {
    const { request } = await setUp(t);
    const { headers, body } = await request({ format: 'xml' });
    assert.equal(headers['content-type'], 'text/xml; charset=utf-8');
    const json = (await request({ format: 'json' })).json();
    const elements = [...body.matchAll(/^<(\w+)>(.*)<\/\1>$/gm)].map(([, name, text = '']) => [
      name,
      text.replace(/&(\w+|#39);/g, (_, entity) => ENTITIES[entity] ?? assert.fail(entity)),
    ]);
    assert.deepEqual(
      elements,
      Object.entries(json).map(([name, value]) => [name, String(value)]),
    );
    assert.ok(
      body.startsWith('<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>\n'),
    );
  });

  it('200: the address as people and sites change it', async (t) => {
    const { id, page, request } = await setUp(t);
    for (const url of [
      `${page}?utm_source=x#top`,
      `HTTP://CLOCHE.test:80/share/${id.toUpperCase()}`,
      `https://old.example/share/${id}`,
    ]) {
      assert.equal((await request({ url })).statusCode, 200, url);
    }
  });

  it('404: any other address', async (t) => {
    const { service, id, page, request } = await setUp(t);
    const { id: tokenDesign } = (
      await sendRequest(service, 'POST', '/v1/designs?name=b', makeBox({ name: 'b' }), GLB_HEADERS)
    ).json();
    for (const url of [
      `${OWN_ORIGIN}/share/${tokenDesign}`,
      `https://evil.example/share/${id}`,
      `https://cloche.test/share/${id}`,
      `http://cloche.test:8080/share/${id}`,
      `http://cloche.test.evil.example/share/${id}`,
      `http://cloche.test@evil.example/share/${id}`,
      `http://user:password@cloche.test/share/${id}`,
      `http://evil.example/${page}`,
      `${page}/`,
      `${page}/image.jpg`,
      `${OWN_ORIGIN}/share/../share/${id}/..`,
      `${OWN_ORIGIN}/embed/share/v1/${id}`,
      `//cloche.test/share/${id}`,
      `/share/${id}`,
      `javascript:alert(1)//${page}`,
      `file:///share/${id}`,
      `data:text/html,${page}`,
      `${OWN_ORIGIN}/share/%2e%2e`,
      '\u0000',
      'x',
      '',
    ]) {
      const response = await request({ url });
      assert.deepEqual(
        [response.statusCode, response.json().code],
        [404, 'design.not-shared'],
        url,
      );
      assert.equal(response.headers['access-control-allow-origin'], '*');
    }
  });

  it('400: no address, two addresses, or limits that are no sizes', async (t) => {
    const { service, page, request } = await setUp(t);
    const get = (query: string) =>
      service.app.inject({ url: `/oembed${query}`, headers: HOST_HEADER });
    assert.equal((await get('')).json().code, 'request.invalid');
    assert.equal((await get(`?url=${page}&url=${page}`)).json().field, 'query.url');
    for (const maxwidth of ['0', '-5', 'wide', '1e3', '100001', '']) {
      const response = await request({ maxwidth });
      assert.deepEqual([response.statusCode, response.json().field], [400, 'query.maxwidth']);
    }
  });

  it('501: another format', async (t) => {
    const { request } = await setUp(t);
    for (const format of ['jsonp', 'XML', '']) {
      const response = await request({ format });
      assert.deepEqual([response.statusCode, response.json().code], [501, 'oembed.format']);
    }
  });
});

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

describe('toOEmbedXml', () => {
  it('leaves out characters that XML cannot contain', () => {
    const title = 'a\u0000b\u001fc\ud800d\uffffe\u{1f333}\t';
    const xml = toOEmbedXml({ title } as OEmbed);
    assert.ok(xml.includes('<title>abcde\u{1f333}\t</title>'), JSON.stringify(xml));
  });
});
