import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { fetchDesign } from '../../testing/design-requests.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const POSTERS = [
  { kind: 'poster', bytes: Buffer.from('RIFF large WEBP'), width: 1200, height: 900 },
  { kind: 'poster-small', bytes: Buffer.from('RIFF small WEBP'), width: 400, height: 300 },
] as const;

/** Renders no picture: the tests need only the bytes. */
const posterRenderer = {
  render: async () => ({
    images: POSTERS,
    placeholder: { color: '#ffffff', image: '' },
  }),
  async [Symbol.asyncDispose]() {},
} as never;

async function openWithPoster(t: Parameters<typeof openTestServer>[0]) {
  const service = await openTestServer(t, { processing: { posterRenderer } });
  const design = await uploadTestDesign(service);
  assert.ok(design.poster, JSON.stringify(design));
  return { service, design, poster: design.poster };
}

/** Requests a URL as `<img>` does: without a token. */
const load = ({ app }: Pick<TestServer, 'app'>, url: string) => {
  const { pathname, search, host } = new URL(url);
  return app.inject({
    url: pathname + search,
    headers: { host, 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' },
  });
};

test('200: the poster of a design can be loaded by <img>', async (t) => {
  const { service, poster } = await openWithPoster(t);
  assert.deepEqual([poster.width, poster.height], [1200, 900]);
  const large = await load(service, poster.url);
  assert.equal(large.statusCode, 200, large.body);
  assert.deepEqual(large.rawPayload, POSTERS[0].bytes);
  assert.equal(large.headers['content-type'], 'image/webp');
  assert.equal(large.headers['cross-origin-resource-policy'], 'cross-origin');
  assert.equal(large.headers['x-content-type-options'], 'nosniff');
  assert.match(String(large.headers['cache-control']), /^private/);
  assert.deepEqual((await load(service, poster.smallUrl)).rawPayload, POSTERS[1].bytes);
});

test('the URL is the same in a list, and in later responses while it is valid', async (t) => {
  const { service, design, poster } = await openWithPoster(t);
  const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  assert.equal(items[0].poster.url, poster.url);
  assert.equal((await fetchDesign(service, design.id)).poster?.url, poster.url);
});

test('403: a URL that was changed or has expired', async (t) => {
  const { service, design, poster } = await openWithPoster(t);
  const other = await uploadTestDesign(service);
  const cases: [url: string, reason: string][] = [
    [poster.url.replace(/\?.*/, ''), 'missing'],
    [poster.url.slice(0, -1), 'forged'],
    [poster.url.replace('.poster.', '.model.'), 'forged'],
    [poster.url.replace(design.id, other.id), 'design'],
  ];
  for (const [url, reason] of cases) {
    const response = await load(service, url);
    assert.equal(response.statusCode, 403, url);
    assert.equal(response.json().code, 'design.poster-link');
    assert.equal(response.json().reason, reason);
  }
  service.advanceTime(30 * 60_000 - 1000);
  assert.equal((await load(service, poster.url)).statusCode, 200);
  service.advanceTime(31 * 60_000);
  assert.equal((await load(service, poster.url)).json().reason, 'expired');
});

test('the URL ends with its token and with its design, and is different for each token', async (t) => {
  const { service, design, poster } = await openWithPoster(t);
  const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
  const asReader: Design = await fetchDesign({ ...service, token: reader.token }, design.id);
  const url = asReader.poster?.url ?? '';
  assert.notEqual(url, poster.url);
  assert.equal((await load(service, url)).statusCode, 200);
  await sendRequest(service, 'PATCH', `/v1/tokens/${reader.id}`, {
    designs: [crypto.randomUUID()],
  });
  assert.equal((await load(service, url)).json().code, 'token.design');
  await sendRequest(service, 'DELETE', `/v1/tokens/${reader.id}`);
  assert.equal((await load(service, url)).json().code, 'token.revoked');
  await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
  assert.equal((await load(service, poster.url)).json().code, 'design.unknown');
});

test('a design without a poster has null', async (t) => {
  const service = await openTestServer(t);
  assert.equal((await uploadTestDesign(service)).poster, null);
});

test('a design id can be written in upper case, everywhere', async (t) => {
  const { service, design, poster } = await openWithPoster(t);
  const id = design.id.toUpperCase();
  assert.notEqual(id, design.id);
  const read = await sendRequest(service, 'GET', `/v1/designs/${id}`);
  assert.deepEqual(read.json(), design);
  for (const path of ['model', 'revisions', 'events'])
    assert.equal((await sendRequest(service, 'GET', `/v1/designs/${id}/${path}`)).statusCode, 200);
  assert.equal((await load(service, poster.url.replace(design.id, id))).statusCode, 200);
  const html = await sendRequest(service, 'POST', '/embed/iframe/v1', {
    uri: `cloche:design:${id}`,
  });
  assert.equal(html.statusCode, 200, html.body);
  assert.ok(html.body.includes(design.id) && !html.body.includes(id));

  const { token, designs } = await issueToken(service, { designs: [id, design.id] });
  assert.deepEqual(designs, [design.id]);
  const framed = await service.app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: {
      host: new URL(service.origin).host,
      'sec-fetch-dest': 'iframe',
      referer: 'https://shop.example/',
    },
  });
  assert.equal(framed.statusCode, 200, framed.body);
  const check = { token, design: id, ancestors: ['https://shop.example'] };
  assert.equal(
    (await sendRequest(service, 'POST', '/v1/tokens/check', check)).json().allowed,
    true,
  );
  const link = await sendRequest(service, 'POST', `/v1/designs/${id}/preview-links`);
  assert.ok(link.json().url.includes(design.id));
  const rows = await connectToServerDatabase(t, service).all('SELECT designs FROM token');
  assert.ok(!JSON.stringify(rows).includes(id));
});

test('POST after the design was deleted, and with a full queue', async (t) => {
  const processing = { maxQueuedJobs: 1, concurrency: 0 };
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const full = await openTestServer(t, { processing, dataDirectory: service.dataDirectory });
  const client = { ...full, token: service.token };
  const post = (path = id) => sendRequest(client, 'POST', `/v1/designs/${path}/poster`);
  // Of another node: this one makes its own jobs due when it starts.
  await connectToServerDatabase(t, service).exec(`INSERT INTO job
    (id, revision_id, attempts, due_at, created_at, node)
    SELECT 'job', id, 1, '2999-01-01T00:00:00.000Z', created_at, 'other' FROM revision`);
  assert.equal((await post()).statusCode, 202, 'it has a job');
  const other = await uploadTestDesign(service, 'Other');
  const busy = await post(other.id);
  assert.deepEqual([busy.statusCode, busy.json().code], [503, 'server.busy']);
  const [deleted, late] = await Promise.all([
    sendRequest(client, 'DELETE', `/v1/designs/${id}`),
    post(),
  ]);
  assert.equal(deleted.statusCode, 204);
  assert.ok([202, 404].includes(late.statusCode), late.body);
});
