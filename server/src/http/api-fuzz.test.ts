import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { problems } from '@cloche/contract/problem';
import { readFuzzRuns, readFuzzSeed } from '@cloche/pipeline/testing/fuzz';
import { makeBox } from '@cloche/pipeline/testing/models';
import fc from 'fast-check';
import {
  type ApiRequest,
  createRequestArbitrary,
  type KnownValues,
  listOperations,
} from '../../testing/api-requests.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  createLargeCursors,
  createLargeNumberRequests,
  type UsualRequest,
} from '../../testing/large-numbers.ts';
import { type ApiResponse, ResponseValidator } from '../../testing/openapi-responses.ts';
import { GLB_HEADERS, issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { createUpload, TUS_HEADERS } from '../../testing/tus-requests.ts';

const seed = readFuzzSeed();
const runs = readFuzzRuns(0.15);

/** Their responses have a new token. */
const OPERATIONS_WITH_TOKENS = ['POST /v1/tokens', 'POST /v1/tokens/{id}/rotate'];
const TOKEN_STRING = /cloche_[ps]k_[A-Za-z0-9]{20,}/;
/** The other codes from 500 are never expected. `oembed.format` is 501, as oEmbed specifies. */
const EXPECTED_SERVER_ERRORS = ['oembed.format', 'server.busy'];

/** Each order has cursors of its own. */
const LISTS_WITH_CURSOR = [
  '/v1/users?limit=1',
  '/v1/tokens?limit=1',
  '/v1/tags?limit=1',
  '/v1/designs?limit=1',
  '/v1/designs?limit=1&sort=name',
  '/v1/designs?limit=1&sort=-createdAt',
  '/v1/designs/{id}/revisions?limit=1',
];
/** Their cursors contain texts only. */
const LISTS_WITHOUT_ROWS = ['/v1/jobs', '/v1/tokens/{id}/usage', '/v1/sessions'];

test('each response to a generated request is as described, and nothing contains a token', async (t) => {
  t.diagnostic(`CLOCHE_FUZZ_SEED=${seed}`);
  const service = await openTestServer(t, { logLevel: 'trace' });
  const description = await send(service, { url: '/openapi.json' });
  const document = JSON.parse(description.body);
  const validator = new ResponseValidator(document);
  // An event stream ends when its design is deleted.
  const operations = listOperations(document).filter(({ path }) => !path.endsWith('/events'));
  assert.ok(operations.length >= 30, `${operations.length} operations`);
  const counts: Record<string, number> = {};
  for (const entry of operations) {
    const requests = createRequestArbitrary(document, entry, await createKnownValues(service));
    const property = fc.asyncProperty(requests, async (request) => {
      const response = await send(service, request);
      const { statusCode, headers, body } = response;
      counts[statusCode] = (counts[statusCode] ?? 0) + 1;
      assertExpectedStatus(response);
      validator.assertDescribed(entry.operation, response);
      const hasToken = OPERATIONS_WITH_TOKENS.includes(entry.name) && statusCode < 300;
      assert.doesNotMatch(JSON.stringify(headers) + (hasToken ? '' : body), TOKEN_STRING);
    });
    const numRuns = Math.ceil(runs / operations.length);
    // A smaller request would meet another state of the service.
    await fc.assert(property, { seed, numRuns, endOnFailure: true }).catch((error) => {
      throw new Error(`CLOCHE_FUZZ_SEED=${seed}, ${entry.name}: ${error.message}`, {
        cause: error,
      });
    });
  }
  t.diagnostic(`responses by status: ${JSON.stringify(counts)}`);
  assert.ok((counts[200] ?? 0) + (counts[201] ?? 0) > 0, 'no request was valid');
  for (const line of service.logLines) assert.doesNotMatch(line, TOKEN_STRING);
});

test('no number in a path, a query, a header, a cursor or a body is too large for the database', async (t) => {
  const service = await openTestServer(t);
  const document = JSON.parse((await send(service, { url: '/openapi.json' })).body);
  const operations = listOperations(document).filter(({ path }) => !path.endsWith('/events'));
  const counts: Record<string, number> = {};
  const assertNoServerError = async (request: ApiRequest) => {
    const { statusCode, body } = await send(service, request);
    counts[statusCode] = (counts[statusCode] ?? 0) + 1;
    const isServerError = statusCode >= 500 && statusCode !== problems['oembed.format'].status;
    assert.ok(!isServerError, `${JSON.stringify(request)}: ${body}`);
  };
  for (const entry of operations) {
    const usual = await createUsualRequest(service, entry.path);
    for (const request of createLargeNumberRequests(document, entry, usual))
      await assertNoServerError(request);
  }
  const withCursor = new Set<string>();
  for (const url of LISTS_WITH_CURSOR) {
    const { path, headers } = await createUsualRequest(service, url);
    const page = JSON.parse((await send(service, { url: path, headers })).body);
    assert.ok(page.nextCursor, `${path}: ${JSON.stringify(page)}`);
    withCursor.add(url.split('?')[0] ?? '');
    for (const cursor of createLargeCursors(page.nextCursor))
      await assertNoServerError({
        ...{ method: 'GET', url: `${path}&cursor=${cursor}`, headers },
        payload: undefined,
      });
  }
  const lists = operations.filter(({ operation }) =>
    operation.parameters?.some(({ name }) => name === 'cursor'),
  );
  assert.deepEqual(
    lists.map(({ path }) => path).filter((path) => !withCursor.has(path)),
    LISTS_WITHOUT_ROWS,
  );
  t.diagnostic(`responses by status: ${JSON.stringify(counts)}`);
});

async function send(
  { app }: TestServer,
  { method = 'GET', url, headers, payload }: Partial<ApiRequest>,
): Promise<ApiResponse> {
  const {
    statusCode,
    headers: received,
    body,
  } = await app.inject({
    method: method as 'GET',
    url: url ?? '/',
    headers: { host: 'cloche.test', ...headers },
    ...(payload !== undefined && { payload }),
  });
  return { statusCode, headers: received as ApiResponse['headers'], body };
}

/** Creates a design, tokens and an upload. A request may delete those of the operation before. */
async function createKnownValues(service: TestServer): Promise<KnownValues> {
  const design = await uploadTestDesign(service);
  const token = await issueToken(service);
  const limited = await issueToken(service, { capabilities: ['read'], origins: [] });
  const upload = await createUpload(service, 10);
  const uploadId = upload.split('/').at(-1) ?? '';
  return {
    ids: [design.id, design.uri, token.id, limited.id, uploadId, '1', '~'],
    tokens: [token.token, limited.token],
    authorizations: [
      // Most requests have a token that may do everything.
      ...Array.from({ length: 6 }, () => `Bearer ${service.token}`),
      `Bearer ${limited.token}`,
      `Bearer ${token.token}`,
      'Basic YTpi',
      '',
    ],
    file: makeBox({ name: design.id }),
  };
}

/** Creates what an operation concerns, and returns what a request to it needs. */
async function createUsualRequest(service: TestServer, template: string): Promise<UsualRequest> {
  const { ids, file } = await createKnownValues(service);
  const [designId = '', , tokenId = '', , uploadId = ''] = ids;
  const user = await sendRequest(service, 'POST', '/v1/users', { name: randomUUID() });
  await sendRequest(service, 'PUT', `/v1/designs/${designId}/model`, file, GLB_HEADERS);
  const tags = [randomUUID(), randomUUID()];
  await sendRequest(service, 'PATCH', `/v1/designs/${designId}`, { tags });
  const known: Record<string, string> = {
    tokens: tokenId,
    uploads: uploadId,
    users: user.json().id,
  };
  const module = template.split(/[/?]/)[2] ?? '';
  const path = template.replace('{id}', known[module] ?? designId).replaceAll(/\{\w+\}/g, '1');
  const tusHeaders = { ...TUS_HEADERS, 'upload-length': '10', 'upload-offset': '0' };
  const headers = {
    authorization: `Bearer ${service.token}`,
    ...(module === 'uploads' && tusHeaders),
  };
  return { path, headers, file };
}

/** Asserts that an error is not the fault of the service, and that its status is that of its code. */
function assertExpectedStatus({ statusCode, body }: ApiResponse): void {
  if (statusCode < 500) return;
  const { code } = JSON.parse(body) as { code: keyof typeof problems };
  assert.ok(EXPECTED_SERVER_ERRORS.includes(code), `${statusCode} ${body}`);
  assert.equal(statusCode, problems[code].status);
}
