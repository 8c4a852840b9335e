import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openService } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, upload } from '../../testing/requests.ts';

const BOX = makeBox({ name: 'Summed' });
const RIGHT = createHash('sha256').update(BOX).digest('hex');
const WRONG = '0'.repeat(64);
const header = (hex: string) => ({
  'content-digest': `sha-256=:${Buffer.from(hex, 'hex').toString('base64')}:`,
});
const GLB = { 'content-type': 'model/gltf-binary' };
const FORM = { 'content-type': 'multipart/form-data; boundary=seam' };
const form = Buffer.concat([
  Buffer.from('--seam\r\nContent-Disposition: form-data; name="file"; filename="a.glb"\r\n\r\n'),
  BOX,
  Buffer.from('\r\n--seam--\r\n'),
]);
const both = {
  'content-digest': `sha-512=:${'A'.repeat(86)}==:, ${header(RIGHT)['content-digest']}`,
};

type Case = [
  what: string,
  query: string,
  headers: Record<string, string>,
  body: Buffer,
  status: number,
];

const cases: Case[] = [
  ['no checksum', '', GLB, BOX, 201],
  ['the right one in the query', `?sha256=${RIGHT}`, GLB, BOX, 201],
  ['in capitals', `?sha256=${RIGHT.toUpperCase()}`, GLB, BOX, 201],
  ['the right one in the header', '', { ...GLB, ...header(RIGHT) }, BOX, 201],
  ['among others in the header', '', { ...GLB, ...both }, BOX, 201],
  ['in both places', `?sha256=${RIGHT}`, { ...GLB, ...header(RIGHT) }, BOX, 201],
  ['of the file in a form', `?sha256=${RIGHT}`, FORM, form, 201],
  ['a wrong one in the query', `?sha256=${WRONG}`, GLB, BOX, 422],
  ['a wrong one in the header', '', { ...GLB, ...header(WRONG) }, BOX, 422],
  ['a wrong one of the file in a form', `?sha256=${WRONG}`, FORM, form, 422],
  ['two that differ', `?sha256=${RIGHT}`, { ...GLB, ...header(WRONG) }, BOX, 400],
  ['half of one', `?sha256=${RIGHT.slice(32)}`, GLB, BOX, 400],
  ['a header of a form', '', { ...FORM, ...header(RIGHT) }, form, 400],
  ['another algorithm alone', '', { ...GLB, 'content-digest': 'md5=:AAAA:' }, BOX, 400],
];

test('POST /v1/designs checks the SHA-256 that is announced, and keeps nothing else', async (t) => {
  const service = await openService(t);
  for (const [what, query, headers, body, status] of cases) {
    await t.test(`${status}: ${what}`, async () => {
      const before = (await ask(service, 'GET', '/v1/designs')).json().items.length;
      const answer = await ask(service, 'POST', `/v1/designs${query}`, body, headers);
      assert.equal(answer.statusCode, status, answer.body);
      if (status === 422) assert.equal(answer.json().code, 'design.checksum');
      const after = (await ask(service, 'GET', '/v1/designs')).json().items.length;
      assert.equal(after - before, status === 201 ? 1 : 0);
      assert.deepEqual(await readdir(join(service.folder, 'blobs', 'drafts')), []);
    });
  }
});

test('PUT /v1/designs/{id}/model does so too', async (t) => {
  const service = await openService(t);
  const { id } = await upload(service);
  const url = `/v1/designs/${id}/model`;
  const wrong = await ask(service, 'PUT', `${url}?sha256=${WRONG}`, BOX, GLB);
  assert.deepEqual([wrong.statusCode, wrong.json().code], [422, 'design.checksum']);
  const right = await ask(service, 'PUT', url, BOX, { ...GLB, ...header(RIGHT) });
  assert.deepEqual([right.statusCode, right.json().revision], [200, 2]);
});
