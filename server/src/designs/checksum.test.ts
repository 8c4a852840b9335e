import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';

const MODEL = makeBox({ name: 'Checksum test' });
const CORRECT_SHA256 = createHash('sha256').update(MODEL).digest('hex');
const WRONG_SHA256 = '0'.repeat(64);
const contentDigest = (hex: string) => ({
  'content-digest': `sha-256=:${Buffer.from(hex, 'hex').toString('base64')}:`,
});
const FORM_HEADERS = { 'content-type': 'multipart/form-data; boundary=boundary' };
const form = Buffer.concat([
  Buffer.from(
    '--boundary\r\nContent-Disposition: form-data; name="file"; filename="a.glb"\r\n\r\n',
  ),
  MODEL,
  Buffer.from('\r\n--boundary--\r\n'),
]);
const TWO_DIGESTS = {
  'content-digest': `sha-512=:${'A'.repeat(86)}==:, ${contentDigest(CORRECT_SHA256)['content-digest']}`,
};

type ChecksumCase = [
  name: string,
  query: string,
  headers: Record<string, string>,
  body: Buffer,
  status: number,
];

const checksumCases: ChecksumCase[] = [
  ['no checksum', '', GLB_HEADERS, MODEL, 201],
  ['the correct checksum in the query', `?sha256=${CORRECT_SHA256}`, GLB_HEADERS, MODEL, 201],
  ['in upper case', `?sha256=${CORRECT_SHA256.toUpperCase()}`, GLB_HEADERS, MODEL, 201],
  [
    'the correct checksum in Content-Digest',
    '',
    { ...GLB_HEADERS, ...contentDigest(CORRECT_SHA256) },
    MODEL,
    201,
  ],
  ['Content-Digest with several algorithms', '', { ...GLB_HEADERS, ...TWO_DIGESTS }, MODEL, 201],
  [
    'the correct checksum in both places',
    `?sha256=${CORRECT_SHA256}`,
    { ...GLB_HEADERS, ...contentDigest(CORRECT_SHA256) },
    MODEL,
    201,
  ],
  [
    'the correct checksum of the file in a form',
    `?sha256=${CORRECT_SHA256}`,
    FORM_HEADERS,
    form,
    201,
  ],
  ['a wrong checksum in the query', `?sha256=${WRONG_SHA256}`, GLB_HEADERS, MODEL, 422],
  [
    'a wrong checksum in Content-Digest',
    '',
    { ...GLB_HEADERS, ...contentDigest(WRONG_SHA256) },
    MODEL,
    422,
  ],
  ['a wrong checksum of the file in a form', `?sha256=${WRONG_SHA256}`, FORM_HEADERS, form, 422],
  [
    'two checksums that differ',
    `?sha256=${CORRECT_SHA256}`,
    { ...GLB_HEADERS, ...contentDigest(WRONG_SHA256) },
    MODEL,
    400,
  ],
  ['half a checksum', `?sha256=${CORRECT_SHA256.slice(32)}`, GLB_HEADERS, MODEL, 400],
  [
    'Content-Digest of a form',
    '',
    { ...FORM_HEADERS, ...contentDigest(CORRECT_SHA256) },
    form,
    400,
  ],
  [
    'Content-Digest without SHA-256',
    '',
    { ...GLB_HEADERS, 'content-digest': 'md5=:AAAA:' },
    MODEL,
    400,
  ],
];

test('POST /v1/designs compares the SHA-256, and stores nothing when it differs or is invalid', async (t) => {
  const service = await openTestServer(t);
  for (const [name, query, headers, body, status] of checksumCases) {
    await t.test(`${status}: ${name}`, async () => {
      const before = (await sendRequest(service, 'GET', '/v1/designs')).json().items.length;
      const response = await sendRequest(service, 'POST', `/v1/designs${query}`, body, headers);
      assert.equal(response.statusCode, status, response.body);
      if (status === 422) assert.equal(response.json().code, 'design.checksum');
      const after = (await sendRequest(service, 'GET', '/v1/designs')).json().items.length;
      assert.equal(after - before, status === 201 ? 1 : 0);
      assert.deepEqual(await readdir(join(service.dataDirectory, 'blobs', 'drafts')), []);
    });
  }
});

test('PUT /v1/designs/{id}/model compares the SHA-256', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const url = `/v1/designs/${id}/model`;
  const wrong = await sendRequest(
    service,
    'PUT',
    `${url}?sha256=${WRONG_SHA256}`,
    MODEL,
    GLB_HEADERS,
  );
  assert.deepEqual([wrong.statusCode, wrong.json().code], [422, 'design.checksum']);
  const correct = await sendRequest(service, 'PUT', url, MODEL, {
    ...GLB_HEADERS,
    ...contentDigest(CORRECT_SHA256),
  });
  assert.deepEqual([correct.statusCode, correct.json().revision], [200, 2]);
});
