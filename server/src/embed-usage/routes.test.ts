import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { getFramedDocument, IFRAME_HEADERS } from '../../testing/get-framed-document.ts';
import { openTestServer } from '../../testing/harness.ts';
import { readUsage } from '../../testing/read-usage.ts';
import { HOST_HEADER, issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SHOP = 'https://shop.example';
const FAIR = 'https://fair.example';
const ORIGINS = [SHOP, FAIR, 'https://*.mall.example'];

async function openEmbeds(t: TestContext) {
  const service = await openTestServer(t);
  const chair = await uploadTestDesign(service, 'chair', makeBox({ name: 'leg '.repeat(5000) }));
  const table = await uploadTestDesign(service, 'table');
  const { id, token } = await issueToken(service, { origins: ORIGINS });
  /** Opens an embed and returns a function that loads its model. */
  const open = async (designId: string, referer: string | null = `${SHOP}/`) => {
    const headers = { 'sec-fetch-dest': 'iframe', ...(referer !== null && { referer }) };
    const response = await getFramedDocument(service, designId, token, headers);
    assert.equal(response.statusCode, 200, response.body);
    const config: ViewerConfig = JSON.parse(
      /id="viewer-config">(.*)<\/script>$/.exec(response.body)?.[1] ?? '',
    );
    return (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      service.app.inject({
        method,
        url: config.model.url,
        headers: { ...HOST_HEADER, 'cloche-grant': config.grant, ...headers },
      });
  };
  return { service, chair, table, id, token, open };
}

type Embeds = Awaited<ReturnType<typeof openEmbeds>>;
type Sums = Map<string, { views: number; bytes: number }>;

function count(sums: Sums, key: string, bytes: number): void {
  const before = sums.get(key) ?? { views: 0, bytes: 0 };
  sums.set(key, { views: before.views + 1, bytes: before.bytes + bytes });
}

const GROUPINGS = ['origin', 'day', 'design', 'origin,day,design', 'design,origin'];
const PAGES = [`${SHOP}/a`, `${SHOP}/b`, `${FAIR}/`, 'https://x.mall.example/', null];

/** Opens embeds on three days, and returns the sums for each grouping. */
async function openManyEmbeds({ service, chair, table, open }: Embeds) {
  const expected = new Map(GROUPINGS.map((by): [string, Sums] => [by, new Map()]));
  const view = async (design: string, page: string | null, day: string) => {
    const load = await open(design, page);
    const bytes = (await load({ 'accept-encoding': 'br' })).rawPayload.length;
    const origin = page === null ? 'unknown' : new URL(page).origin;
    for (const [by, sums] of expected) count(sums, toKey({ origin, day, design }, by), bytes);
  };
  const firstDay = Date.now();
  for (const days of [0, 1, 2]) {
    const day = new Date(firstDay + days * DAY_MS).toISOString().slice(0, 10);
    for (const [index, page] of PAGES.entries()) {
      await view(chair.id, page, day);
      if (index % 2 !== days % 2) await view(table.id, page, day);
    }
    service.advanceTime(DAY_MS);
  }
  return expected;
}

test('the sums by origin, day and design are those of the requests', async (t) => {
  const embeds = await openEmbeds(t);
  const { service, id } = embeds;
  const expected = await openManyEmbeds(embeds);
  for (const [by, sums] of expected)
    for (const limit of [1, 2, 200]) {
      const items = await readUsage(service, id, `by=${by}&limit=${limit}`);
      const actual = items.map(({ views, bytes, ...item }) => [toKey(item, by), { views, bytes }]);
      const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(actual, sorted, `${by}, ${limit}`);
    }
  const byDay = await readUsage(service, id, 'by=day');
  assert.deepEqual(await readUsage(service, id), byDay, 'by day, if nothing is asked for');
  for (const { firstSeenAt, lastSeenAt } of await readUsage(service, id, 'by=design'))
    assert.ok(Date.parse(lastSeenAt) - Date.parse(firstSeenAt) >= DAY_MS, 'of all days');
});

function toKey(item: object, by: string): string {
  const values: Record<string, unknown> = { ...item };
  return by
    .split(',')
    .map((name) => values[name])
    .join(' ');
}

test('only the days from the first to the last are counted', async (t) => {
  const { service, chair, id, open } = await openEmbeds(t);
  const today = Date.now();
  const toDay = (days: number) => new Date(today + days * DAY_MS).toISOString().slice(0, 10);
  for (let day = 0; day < 4; day += 1) {
    await open(chair.id);
    service.advanceTime(DAY_MS);
  }
  const readDays = async (query: string) =>
    (await readUsage(service, id, query)).map(({ day }) => day);
  assert.deepEqual(await readDays(`from=${toDay(1)}&to=${toDay(2)}`), [toDay(1), toDay(2)]);
  assert.deepEqual(await readDays(`from=${toDay(3)}`), [toDay(3)]);
  assert.deepEqual(await readDays(`to=${toDay(0)}`), [toDay(0)]);
  const [sum] = await readUsage(service, id, `by=origin&from=${toDay(1)}&to=${toDay(2)}`);
  assert.equal(sum?.views, 2);
  assert.equal(sum?.day, undefined);
});

test('the usage of descendants that are not revoked is added', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const parent = await issueToken(service, {
    capabilities: ['read', 'write', 'embed'],
    origins: [],
  });
  const issuer = { ...service, token: parent.token };
  const view = async (token: string, origin: string) => {
    const headers = { 'sec-fetch-dest': 'iframe', referer: `${origin}/` };
    const response = await getFramedDocument(service, design.id, token, headers);
    assert.equal(response.statusCode, 200, response.body);
  };
  const readViews = async (query: string) =>
    Object.fromEntries(
      (await readUsage(service, parent.id, query)).map(({ origin, views }) => [origin, views]),
    );
  const shop = await issueToken(issuer, { origins: [SHOP] });
  const fair = await issueToken(issuer, { origins: [FAIR] });
  const middle = await issueToken(issuer, { capabilities: ['write', 'embed'], origins: [] });
  const below = await issueToken({ ...service, token: middle.token }, { origins: [SHOP] });
  for (const { token } of [shop, shop, below]) await view(token, SHOP);
  await view(fair.token, FAIR);
  assert.deepEqual(await readViews('by=origin'), {});
  assert.deepEqual(await readViews('by=origin&descendants=true'), { [SHOP]: 3, [FAIR]: 1 });
  const pages = await readViews('by=origin&descendants=true&limit=1');
  assert.deepEqual(pages, { [SHOP]: 3, [FAIR]: 1 }, 'in pages');
  await sendRequest(service, 'DELETE', `/v1/tokens/${shop.id}`);
  await sendRequest(service, 'DELETE', `/v1/tokens/${middle.id}`);
  assert.deepEqual(await readViews('by=origin&descendants=true'), { [SHOP]: 1, [FAIR]: 1 });
});

test('the bytes of ranges, of compressed files, of 304 and of HEAD are those that were sent', async (t) => {
  const { service, chair, id, open } = await openEmbeds(t);
  const load = await open(chair.id);
  const readBytes = async () => (await readUsage(service, id, 'by=origin'))[0]?.bytes ?? 0;
  const cases: [string, Record<string, string>, 'GET' | 'HEAD', number][] = [
    ['whole', {}, 'GET', 200],
    ['compressed', { 'accept-encoding': 'br' }, 'GET', 200],
    ['range', { range: 'bytes=10-29' }, 'GET', 206],
    ['wrong range', { range: 'bytes=99999999-' }, 'GET', 416],
    ['unchanged', { 'if-none-match': String((await load()).headers.etag) }, 'GET', 304],
    ['head', {}, 'HEAD', 200],
    ['cross-site', { 'sec-fetch-site': 'cross-site' }, 'GET', 403],
  ];
  for (const [name, headers, method, status] of cases) {
    const before = await readBytes();
    const response = await load(headers, method);
    assert.equal(response.statusCode, status, name);
    const hasFile = method === 'GET' && status < 300;
    const sent = hasFile ? response.rawPayload.length : 0;
    if (hasFile) assert.ok(sent > 0, name);
    const wanted = before + sent;
    await waitUntil(`the bytes of ${name}`, async () => (await readBytes()) >= wanted);
    assert.equal(await readBytes(), wanted, name);
  }
});

test('views that are refused, and views of shared designs, are not counted; previews are', async (t) => {
  const { service, chair, id, token } = await openEmbeds(t);
  const evil = { ...IFRAME_HEADERS, referer: 'https://evil.example/' };
  assert.equal((await getFramedDocument(service, chair.id, token, evil)).statusCode, 403);
  await sendRequest(service, 'PATCH', `/v1/designs/${chair.id}`, { shared: true });
  const shared = await service.app.inject({
    url: `/embed/share/v1/${chair.id}`,
    headers: { ...HOST_HEADER, ...IFRAME_HEADERS },
  });
  assert.equal(shared.statusCode, 200);
  assert.deepEqual(await readUsage(service, id), []);

  const owner = await issueToken(service, { capabilities: ['read'], origins: [] });
  const asOwner = { app: service.app, token: owner.token };
  const link = await sendRequest(asOwner, 'POST', `/v1/designs/${chair.id}/preview-links`);
  const { pathname, search } = new URL(link.json().src);
  const preview = await service.app.inject({
    url: pathname + search,
    headers: { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer: `${service.origin}/` },
  });
  assert.equal(preview.statusCode, 200, preview.body);
  const [usage, ...others] = await readUsage(service, owner.id, 'by=origin');
  assert.deepEqual([usage?.origin, usage?.views, others], [service.origin, 1, []]);
});

test('HEAD is no view', async (t) => {
  const { service, chair, id, token } = await openEmbeds(t);
  const head = (url: string, referer: string) =>
    service.app.inject({
      method: 'HEAD',
      url,
      headers: { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer },
    });
  const framed = await head(`/embed/iframe/v1/${chair.id}?token=${token}`, `${SHOP}/`);
  assert.equal(framed.statusCode, 200);
  assert.deepEqual(await readUsage(service, id), []);

  const owner = await issueToken(service, { capabilities: ['read'], origins: [] });
  const asOwner = { app: service.app, token: owner.token };
  const link = await sendRequest(asOwner, 'POST', `/v1/designs/${chair.id}/preview-links`);
  const { pathname, search } = new URL(link.json().src);
  const preview = await head(pathname + search, `${service.origin}/`);
  assert.equal(preview.statusCode, 200);
  assert.deepEqual(await readUsage(service, owner.id), []);
});

test('a page that is not named is the only one that the token lists', async (t) => {
  const { service, chair } = await openEmbeds(t);
  for (const [origins, expected] of [
    [[SHOP], SHOP],
    [[SHOP, FAIR], 'unknown'],
    [['https://*.shop.example'], 'unknown'],
  ] as const) {
    const { id, token } = await issueToken(service, { origins });
    await getFramedDocument(service, chair.id, token, { 'sec-fetch-dest': 'iframe' });
    assert.deepEqual(
      (await readUsage(service, id, 'by=origin')).map(({ origin }) => origin),
      [expected],
    );
  }
});

test('usage remains after the token was revoked and the design was deleted', async (t) => {
  const { service, chair, id, open } = await openEmbeds(t);
  await open(chair.id);
  await sendRequest(service, 'DELETE', `/v1/tokens/${id}`);
  await sendRequest(service, 'DELETE', `/v1/designs/${chair.id}`);
  assert.deepEqual(
    (await readUsage(service, id, 'by=design')).map(({ design, views }) => [design, views]),
    [[chair.id, 1]],
  );
});

test('403 and 404: for whom usage cannot be read', async (t) => {
  const { service, id, token } = await openEmbeds(t);
  const read = (token: string, of = id) =>
    sendRequest({ app: service.app, token }, 'GET', `/v1/tokens/${of}/usage`);
  assert.equal((await read(token)).statusCode, 403, 'a token with embed only');
  const writer = await issueToken(service, { capabilities: ['write'], origins: [] });
  assert.equal((await read(writer.token)).statusCode, 403, 'a token with write only');
  const limited = await issueToken(service, { capabilities: ['read'], origins: [SHOP] });
  assert.equal((await read(limited.token)).statusCode, 404, 'other origins');
  const unlimited = await issueToken(service, { capabilities: ['read'], origins: [] });
  assert.equal((await read(unlimited.token)).statusCode, 200);
  assert.equal((await read(unlimited.token, 'tok_0000000000000000')).statusCode, 404);
});

test('400: days that do not exist, other groupings, and the cursor of another query', async (t) => {
  const { service, id, chair, table, open } = await openEmbeds(t);
  await open(chair.id);
  await open(table.id);
  const read = (query: string) => sendRequest(service, 'GET', `/v1/tokens/${id}/usage?${query}`);
  for (const query of [
    'from=2026-02-30',
    'to=yesterday',
    'from=2026-05-04T00:00Z',
    'by=',
    'by=page',
    'by=day,day',
    'limit=0',
    'days=3',
  ]) {
    const response = await read(query);
    assert.equal(response.statusCode, 400, query);
    assert.equal(response.json().code, 'request.invalid', query);
  }
  const { nextCursor } = (await read('by=design&limit=1')).json();
  assert.equal((await read(`by=design&limit=1&cursor=${nextCursor}`)).statusCode, 200);
  for (const query of [
    `by=origin&cursor=${nextCursor}`,
    `by=design&from=2026-01-01&cursor=${nextCursor}`,
    'cursor=x',
  ])
    assert.equal((await read(query)).json().code, 'request.cursor', query);
});

test('what was counted is in the database after a graceful stop', async (t) => {
  const { service, chair, id, open } = await openEmbeds(t);
  const load = await open(chair.id);
  await open(chair.id);
  const bytes = (await load()).rawPayload.length;
  await service.app.close();
  const { app } = await openTestServer(t, { dataDirectory: service.dataDirectory });
  const [usage] = await readUsage({ ...service, app }, id);
  assert.deepEqual([usage?.views, usage?.bytes], [2, bytes]);
});
