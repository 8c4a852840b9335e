import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CreatedToken } from '@cloche/contract/token';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  GLB_HEADERS,
  issueToken,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { createUpload, patchUpload } from '../../testing/tus-requests.ts';
import { assertResponse } from './assert-response.ts';

const YEARS_8000_MS = 8000 * 366 * 24 * 60 * 60 * 1000;
const TABLES = ['token', 'design', 'revision', 'job', 'idempotency_key'];

test('a response that does not match its schema fails, without its values in the message', async (t) => {
  const created = await issueToken(await openTestServer(t));
  assertResponse(CreatedToken, created);
  const invalid = { ...created, expiresAt: '+010000-01-01T13:59:59.000Z' };
  assert.throws(
    () => assertResponse(CreatedToken, invalid),
    ({ message }: Error) => message.includes('/expiresAt') && !message.includes('cloche_pk_'),
  );
});

type CreatingRequest = (service: TestServer, designId: string) => ReturnType<typeof sendRequest>;

const creatingRequests: [name: string, send: CreatingRequest][] = [
  [
    'POST /v1/tokens',
    (service) => sendRequest(service, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST),
  ],
  [
    'POST /v1/tokens with an Idempotency-Key',
    (service) =>
      sendRequest(service, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST, { 'idempotency-key': 'a' }),
  ],
  [
    'POST /v1/designs',
    (service) => sendRequest(service, 'POST', '/v1/designs', makeBox({ name: 'b' }), GLB_HEADERS),
  ],
  [
    'PUT /v1/designs/{id}/model',
    (service, id) =>
      sendRequest(service, 'PUT', `/v1/designs/${id}/model`, makeBox({ name: 'b' }), GLB_HEADERS),
  ],
  [
    'PATCH /v1/uploads/{id} with the last bytes',
    async (service) => {
      const bytes = makeBox({ name: 'b' });
      return patchUpload(service, await createUpload(service, bytes.length), bytes, 0);
    },
  ],
];

for (const [name, send] of creatingRequests) {
  test(`500: ${name} stores nothing if its response cannot be sent`, async (t) => {
    const service = await openTestServer(t);
    const { id } = await uploadTestDesign(service);
    const before = await countRows(t, service);
    // Times after the year 9999 are not times of the API.
    service.advanceTime(YEARS_8000_MS);
    assert.equal((await send(service, id)).statusCode, 500);
    assert.deepEqual(await countRows(t, service), before);
    assert.equal((await sendRequest(service, 'GET', `/v1/designs/${id}`)).statusCode, 200);
  });
}

async function countRows(t: TestContext, service: TestServer): Promise<object> {
  const database = connectToServerDatabase(t, service);
  const counts: Record<string, unknown> = {};
  for (const table of TABLES)
    counts[table] = (await database.get(`SELECT count(*) AS count FROM ${table}`))?.count;
  return counts;
}
