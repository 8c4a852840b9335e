import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { decodeCursor, encodeCursor } from '../http/cursor-text.ts';

test('400: a cursor of revisions whose number is not one', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  await sendRequest(service, 'PUT', `/v1/designs/${id}/model`, makeBox(), GLB_HEADERS);
  const url = `/v1/designs/${id}/revisions?limit=1`;
  const { nextCursor } = (await sendRequest(service, 'GET', url)).json();
  const [hash = '', number = ''] = decodeCursor(nextCursor) ?? [];
  const list = (value: string) =>
    sendRequest(service, 'GET', `${url}&cursor=${encodeCursor([hash, value])}`);
  assert.equal((await list(number)).json().items.length, 1);
  assert.equal((await list('2147483647')).statusCode, 200);
  for (const value of ['', 'NaN', '-1', '1.5', '1e3', '2147483648', '9223372036854775808', 'a\0']) {
    const response = await list(value);
    assert.equal(response.statusCode, 400, value);
    assert.equal(response.json().code, 'request.cursor', value);
  }
});
