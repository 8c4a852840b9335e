/** The console calls only operations that are in the OpenAPI document of the service, and all of them but those on a list. */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTestServer } from '../../server/testing/harness.ts';
import { findRequests, isRequestOf, type SourceRequest } from './find-requests.ts';

const SOURCE_DIRECTORY = join(import.meta.dirname, '../../console/src');
/** Operations that the console does not call, and why. */
const NOT_USED: Record<string, string> = {
  'DELETE /v1/sessions': 'The console ends all other sessions one by one, and keeps its own.',
  'GET /embed/assets/{file}': 'for the viewer',
  'GET /embed/iframe/v1/{designId}': 'for pages with an embed',
  'GET /embed/share/v1/{designId}': 'for pages with an embed',
  'GET /livez': 'for programs that monitor the service',
  'GET /oembed': 'for programs that embed a link',
  'GET /readyz': 'for programs that monitor the service',
  'GET /share/{designId}': 'a page of its own, which the console links to',
  'GET /share/{designId}/{file}': 'for programs that show a preview of a link',
  'GET /v1/log-level': 'GET /v1/system returns it too.',
  'GET /v1/nodes': 'GET /v1/system returns them too.',
  'GET /v1/users/{id}': 'The list of users has all of their fields.',
};
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

test('every request of the console is an operation of the OpenAPI document', async (t) => {
  const operations = await readOperations(t);
  const isOperation = (request: SourceRequest) =>
    operations.some(
      ({ path, method }) => isRequestOf(request, path) && (request.method ?? method) === method,
    );
  const requests = await readRequests();
  assert.ok(requests.length >= 15, `only ${requests.length} requests were found`);
  const unknown = requests.filter((request) => !isOperation(request));
  assert.deepEqual(unknown, []);
  // The comparison finds what is not there.
  const invented = [
    { path: '/v1/designs/{}', method: 'POST' },
    { path: '/v1/wardrobes', method: undefined },
    { path: '/v1/designs/{}/model/{}', method: undefined },
  ].map((request) => ({ ...request, type: undefined }));
  assert.deepEqual(invented.filter(isOperation), []);
});

test('every operation is used by the console, or is on the list of those that it does not need', async (t) => {
  const requests = await readRequests();
  const operations = await readOperations(t);
  const isUsed = ({ path, method }: Operation) =>
    requests.some((request) => isRequestOf(request, path) && (request.method ?? method) === method);
  const unused = operations.filter((operation) => !isUsed(operation));
  const names = unused.map(({ path, method }) => `${method} ${path}`);
  assert.deepEqual(names.toSorted(), Object.keys(NOT_USED).toSorted());
});

test('the type of each response is the schema that the OpenAPI document has for it', async (t) => {
  const operations = await readOperations(t);
  const requests = (await readRequests()).filter(({ type }) => type !== undefined);
  assert.ok(requests.length >= 25, `only ${requests.length} requests with a type`);
  for (const request of requests) {
    const schemas = operations
      .filter(({ path, method }) => isRequestOf(request, path) && method === request.method)
      .map(({ schema }) => schema);
    assert.deepEqual(schemas, [request.type], `${request.method} ${request.path}`);
  }
});

test('requests are found in source text', () => {
  // `#{` stands for the beginning of an expression.
  const cases: [source: string, path: string, method: string | undefined, type?: string][] = [
    ["api.getJson<User>('/v1/system')", '/v1/system', 'GET', 'User'],
    ["api.getJson<User>('/v1/users', { name: f(1) })", '/v1/users', 'POST', 'User'],
    ["api.getJson<A<B>>(`/v1/users/#{id}`, changes, 'PATCH')", '/v1/users/{}', 'PATCH', 'A<B>'],
    ["(a: B): C<D> => {\n await api.getJson<User>('/v1/system')", '/v1/system', 'GET', 'User'],
    ['api.getJson(`/v1/jobs?state=#{state}#{cursor}`)', '/v1/jobs', 'GET'],
    ['api.getJson(`/v1/users#{cursor}`)', '/v1/users', 'GET'],
    ["api.request(`/v1/a/#{f({ b })}/c`, { method: 'DELETE' })", '/v1/a/{}/c', 'DELETE'],
    ["api.request('/v1/designs', { file })", '/v1/designs', 'POST'],
    ["api.request('/v1/designs', options)", '/v1/designs', undefined],
    ["const path = '/v1/users'; send(path, { method: 'PUT' })", '/v1/users', undefined],
    ['const endpoint = `#{location.origin}/v1/uploads`;', '/v1/uploads', undefined],
    ["fetch('/embed/iframe/v1', { method: 'POST' })", '/embed/iframe/v1', 'POST'],
  ];
  for (const [source, path, method, type] of cases)
    assert.deepEqual(findRequests(source.replaceAll('#', '$')), [{ path, method, type }], source);
  assert.deepEqual(findRequests("import('./embed/embed-page.tsx')"), []);
});

type Operation = {
  path: string;
  method: string;
  /** The name of the schema of its response, if that is JSON. */
  schema: string | undefined;
};

type ResponseSchemas = {
  responses: Record<string, { content?: Record<string, { schema?: { $ref?: string } }> }>;
};

async function readOperations(t: TestContext): Promise<Operation[]> {
  const { app } = await openTestServer(t);
  const headers = { host: 'cloche.test' };
  const { paths } = (await app.inject({ url: '/openapi.json', headers })).json();
  return Object.entries<Record<string, ResponseSchemas>>(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { responses }]) => {
        const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
        const reference = success?.[1].content?.['application/json']?.schema?.$ref;
        return { path, method: method.toUpperCase(), schema: reference?.split('/').at(-1) };
      }),
  );
}

async function readRequests(): Promise<SourceRequest[]> {
  const requests: SourceRequest[] = [];
  for await (const file of glob('**/*.{ts,tsx}', { cwd: SOURCE_DIRECTORY })) {
    if (file.endsWith('.test.ts')) continue;
    requests.push(...findRequests(await readFile(join(SOURCE_DIRECTORY, file), 'utf8')));
  }
  return requests;
}
