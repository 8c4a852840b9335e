import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';

test('every DELETE route of the API may use the disk reserve, and no other', async (t) => {
  const uses: string[] = [];
  let current = '';
  const reserve = {
    run: <T>(operation: () => Promise<T>) => {
      uses.push(current);
      return operation();
    },
    isSpaceLow: async () => false,
    refill: () => true,
  };
  const service = await openTestServer(t, { reserve });
  await waitUntil('uploads are cleaned up after the start', () => uses.length > 0);
  uses.length = 0;
  const { paths } = (await sendRequest(service, 'GET', '/openapi.json')).json();
  const routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  const expected: string[] = [];
  for (const [method, path] of routes) {
    // A stream, which does not end.
    if (path === '/v1/designs/events') continue;
    current = `${method} ${path}`;
    if (method === 'DELETE') expected.push(current);
    const url = path
      .replace('{number}', '1')
      .replaceAll(/\{\w+\}/g, '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55');
    const headers = { 'tus-resumable': '1.0.0' };
    await sendRequest(service, method as 'GET', url, undefined, headers);
  }
  assert.ok(expected.length >= 3, String(expected));
  assert.deepEqual(uses, expected);
});

test('deleting a design deletes its files at once if the disk is almost full, else later', async (t) => {
  for (const isLow of [true, false]) {
    const reserve = {
      run: <T>(operation: () => Promise<T>) => operation(),
      isSpaceLow: async () => isLow,
      refill: () => true,
    };
    const service = await openTestServer(t, { reserve });
    const { id } = await uploadTestDesign(service);
    assert.equal((await sendRequest(service, 'DELETE', `/v1/designs/${id}`)).statusCode, 204);
    assert.equal((await listBlobFiles(service.dataDirectory)).length === 0, isLow);
  }
});

async function listBlobFiles(dataDirectory: string): Promise<string[]> {
  const names = await readdir(join(dataDirectory, 'blobs'), { recursive: true });
  return names.filter((name) => /[0-9a-f]{64}$/.test(name));
}
