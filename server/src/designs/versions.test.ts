import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { readSourceFiles } from '../../../scripts/source-files.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import { runTransaction } from '../database/transaction.ts';
import { updateDesignRow } from './update-design-row.ts';

type Response = Awaited<ReturnType<typeof sendRequest>>;

async function readEtag(service: TestServer, id: string): Promise<string> {
  return String((await sendRequest(service, 'GET', `/v1/designs/${id}`)).headers.etag);
}

function assertChanged(response: Response, currentEtag: string): void {
  assert.equal(response.statusCode, 412, response.body);
  assert.equal(response.json().code, 'request.precondition-failed');
  assert.equal(response.headers.etag, currentEtag);
}

test('each response with one design has its ETag, and each change makes a new one', async (t) => {
  const service = await openTestServer(t);
  const url = '/v1/designs?name=chair';
  const created = await sendRequest(service, 'POST', url, makeBox(), GLB_HEADERS);
  const { id } = created.json();
  const etags = [created.headers.etag];
  assert.equal(await readEtag(service, id), created.headers.etag);
  for (const body of [{ name: 'stool' }, { revision: 1 }, { name: 'stool' }]) {
    const patched = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, body);
    assert.equal(await readEtag(service, id), patched.headers.etag);
    etags.push(patched.headers.etag);
  }
  const replaced = await sendRequest(
    service,
    'PUT',
    `/v1/designs/${id}/model`,
    makeBox({ name: 'new' }),
    GLB_HEADERS,
  );
  assert.equal(replaced.json().revision, 2);
  assert.equal(await readEtag(service, id), replaced.headers.etag);
  etags.push(replaced.headers.etag);
  for (const etag of etags) assert.match(String(etag), /^"\d+"$/);
  assert.equal(new Set(etags).size, 5);
});

test('200: the response has no 304, because it also contains links that expire', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const etag = await readEtag(service, id);
  const headers = { 'if-none-match': etag };
  const response = await sendRequest(service, 'GET', `/v1/designs/${id}`, undefined, headers);
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers.etag, etag);
  assert.equal(response.headers['cache-control'], 'no-store');
});

test('412: no request with If-Match changes a design that has another version', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const stale = { 'if-match': await readEtag(service, id) };
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'stool' });
  const etag = await readEtag(service, id);
  const before = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
  const model = makeBox({ name: 'new' });
  for (const [method, url, body, headers] of [
    ['PATCH', '', { name: 'table' }, {}],
    ['PATCH', '', { revision: 1 }, {}],
    ['PUT', '/model', model, GLB_HEADERS],
    ['PUT', '/model', model, { ...GLB_HEADERS, 'idempotency-key': 'k' }],
    ['DELETE', '', undefined, {}],
  ] as const) {
    const path = `/v1/designs/${id}${url}`;
    assertChanged(await sendRequest(service, method, path, body, { ...headers, ...stale }), etag);
  }
  assert.deepEqual((await sendRequest(service, 'GET', `/v1/designs/${id}`)).json(), before);
  const revisions = (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.equal(revisions.items.length, 1);
});

test('If-Match of PUT is compared with the version in the database, not with that of the cache', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const stale = await readEtag(service, id);
  // As another node.
  await runTransaction(database, async (trx) => {
    await updateDesignRow(trx, id).set({ name: 'stool' }).execute();
  });
  const etag = `"${Number(stale.slice(1, -1)) + 1}"`;
  const put = (ifMatch: string) => {
    const headers = { ...GLB_HEADERS, 'if-match': ifMatch };
    return sendRequest(
      service,
      'PUT',
      `/v1/designs/${id}/model`,
      makeBox({ name: 'new' }),
      headers,
    );
  };
  assertChanged(await put('"0"'), etag);
  assert.equal((await put(etag)).statusCode, 200);
});

test('2xx: with the current version, one of several, or *', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const url = `/v1/designs/${id}`;
  for (const toHeader of [(etag: string) => etag, (etag: string) => `"0", ${etag}`, () => '*']) {
    const headers = { 'if-match': toHeader(await readEtag(service, id)) };
    assert.equal(
      (await sendRequest(service, 'PATCH', url, { name: 'x' }, headers)).statusCode,
      200,
    );
  }
  const model = makeBox({ name: 'new' });
  const put = await sendRequest(service, 'PUT', `${url}/model`, model, {
    ...GLB_HEADERS,
    'if-match': await readEtag(service, id),
  });
  assert.equal(put.statusCode, 200, put.body);
  const headers = { 'if-match': await readEtag(service, id) };
  assert.equal((await sendRequest(service, 'DELETE', url, undefined, headers)).statusCode, 204);
  assert.equal((await sendRequest(service, 'DELETE', url, undefined, headers)).statusCode, 404);
});

test('400: a malformed If-Match, before a file is received', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const headers = { 'if-match': '3' };
  for (const [method, url] of [
    ['PATCH', ''],
    ['PUT', '/model'],
    ['DELETE', ''],
  ] as const) {
    const body = method === 'PATCH' ? { name: 'x' } : method === 'PUT' ? makeBox() : undefined;
    const types = method === 'PUT' ? GLB_HEADERS : {};
    const path = `/v1/designs/${id}${url}`;
    const response = await sendRequest(service, method, path, body, { ...types, ...headers });
    assert.equal(response.statusCode, 400, method);
    assert.equal(response.json().field, 'header.if-match');
  }
});

test('200: a retry with the same Idempotency-Key gets the first response and its ETag, also with If-Match', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const headers = {
    ...GLB_HEADERS,
    prefer: '',
    'if-match': await readEtag(service, id),
    'idempotency-key': 'k',
  };
  const send = () =>
    sendRequest(service, 'PUT', `/v1/designs/${id}/model`, makeBox({ name: 'new' }), headers);
  const first = await send();
  assert.equal(first.statusCode, 200, first.body);
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'stool' });
  const retried = await send();
  assert.equal(retried.statusCode, 200, retried.body);
  assert.equal(retried.headers.etag, first.headers.etag);
  assert.notEqual(await readEtag(service, id), first.headers.etag);
});

test('the body of PUT has what another request changed during the upload', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const database = openDatabaseAgain(t, service.dataDirectory);
  // As another node: this one has the design in its cache.
  await sendRequest(service, 'GET', `/v1/designs/${id}`);
  await runTransaction(database, async (trx) => {
    await updateDesignRow(trx, id).set({ name: 'stool' }).execute();
  });
  const response = await sendRequest(
    service,
    'PUT',
    `/v1/designs/${id}/model`,
    makeBox({ name: 'new' }),
    { ...GLB_HEADERS, prefer: '' },
  );
  assert.equal(response.json().name, 'stool');
});

test('16 clients that change different fields at once lose no change', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const values = ['name', 'description', 'externalId'] as const;
  const bodies = [
    ...values.map((field) => ({ [field]: `new ${field}` })),
    { tags: ['oak'] },
    { metadata: { a: 'b' } },
    { maxTriangles: 5_000 },
    { maxTextureSize: 1024 },
    { shared: true },
    { viewer: { background: '#ffffff' } },
  ];
  const patch = (body: object) => sendRequest(service, 'PATCH', `/v1/designs/${id}`, body);
  const responses = await Promise.all([...bodies, ...bodies].map(patch));
  for (const { statusCode, body } of responses) assert.equal(statusCode, 200, body);
  const design: Design = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
  for (const [field, value] of Object.entries(Object.assign({}, ...bodies)))
    assert.deepEqual(design[field as keyof Design], value, field);
});

test('of 16 clients that have read the same version, one changes it, and the others get 412', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const headers = { 'if-match': await readEtag(service, id) };
  const names = Array.from({ length: 16 }, (_, index) => `name ${index}`);
  const responses = await Promise.all(
    names.map((name) => sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name }, headers)),
  );
  const successes = responses.filter(({ statusCode }) => statusCode === 200);
  assert.equal(successes.length, 1);
  const { name } = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
  assert.equal(successes[0]?.json().name, name);
  const etag = await readEtag(service, id);
  for (const response of responses)
    if (!successes.includes(response)) assertChanged(response, etag);
});

test('each UPDATE of a design or token goes through the function that makes a new version', async () => {
  const root = new URL('../../..', import.meta.url).pathname;
  const files = await readSourceFiles(root, ['server/src/**/*.ts']);
  const updating = [...files].filter(
    ([path, text]) =>
      !path.includes('/migrations/') &&
      !path.endsWith('.test.ts') &&
      /updateTable\('(design|token)'\)|UPDATE "?(design|token)\b/.test(text),
  );
  assert.deepEqual(updating.map(([path]) => path).sort(), [
    'server/src/designs/update-design-row.ts',
    // Its use makes no new version.
    'server/src/tokens/token-usage-store.ts',
    'server/src/tokens/update-token-rows.ts',
  ]);
});
