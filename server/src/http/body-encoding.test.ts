import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import { CREATE_TOKEN_REQUEST, GLB_HEADERS, sendRequest } from '../../testing/requests.ts';
import { createUpload, TUS_PATCH_HEADERS } from '../../testing/tus-requests.ts';

const TOKEN_BODY = JSON.stringify(CREATE_TOKEN_REQUEST);
const GZIP = { 'content-encoding': 'gzip' };

test('415: a body with a content encoding', async (t) => {
  const service = await openTestServer(t);
  const upload = await createUpload(service, 100);
  const model = gzipSync(makeBox());
  const patch = { ...TUS_PATCH_HEADERS, 'upload-offset': '0' };
  const responses = [
    await sendRequest(service, 'POST', '/v1/tokens', gzipSync(TOKEN_BODY), GZIP),
    await sendRequest(service, 'POST', '/v1/tokens', TOKEN_BODY, { 'content-encoding': 'br' }),
    await sendRequest(service, 'POST', '/v1/designs', model, { ...GLB_HEADERS, ...GZIP }),
    await sendRequest(service, 'PATCH', upload, model, { ...patch, ...GZIP }),
  ];
  for (const response of responses) {
    assert.equal(response.statusCode, 415, response.body);
    const { code, field, detail } = response.json();
    assert.deepEqual([code, field], ['request.media-type', 'header.content-encoding']);
    assert.match(detail, /"(gzip|br)" is not supported/);
  }
});

test('201 and 200: the content encoding identity, and one without a body', async (t) => {
  const service = await openTestServer(t);
  const headers = { 'content-encoding': 'Identity' };
  const created = await sendRequest(service, 'POST', '/v1/tokens', TOKEN_BODY, headers);
  assert.equal(created.statusCode, 201, created.body);
  const listed = await sendRequest(service, 'GET', '/v1/tokens', undefined, GZIP);
  assert.equal(listed.statusCode, 200);
});

test('400: an unknown transfer encoding closes the connection', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const encodings = ['gzip, chunked', 'gzip,chunked', 'x, chunked', 'xchunked', 'gzip', 'identity'];
  for (const encoding of encodings) {
    for (const request of ['POST /v1/tokens', 'POST /v1/designs', 'GET /livez', 'GET /%']) {
      const connection = await RawConnection.open(t, service);
      const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': encoding };
      connection.write(formatRequestHead(service, request, headers));
      connection.write('0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      const response = await connection.readResponse();
      assert.equal(response?.status, 400, `${request}, ${encoding}`);
      assert.equal(response?.headers.connection, 'close');
      const next = await connection.readResponse();
      // The parser may detect the error after the response, and reports it as well.
      assert.ok(next === undefined || next.status === 400, `${request}, ${encoding}`);
      assert.equal(await connection.readResponse(), undefined, 'the connection is closed');
    }
  }
});
