import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER } from '../../testing/requests.ts';
import { readViewerBuild } from './viewer-build.ts';

const VIEWER_DIST = join(import.meta.dirname, '../../../viewer/dist');

it('the sample needs no token, and only pages of this service may frame it', async (t) => {
  const viewer = await readViewerBuild(VIEWER_DIST);
  const { app } = await openTestServer(t, { viewer });
  const response = await app.inject({ url: '/embed/sample/v1', headers: HOST_HEADER });
  assert.equal(response.statusCode, 200);
  const policy = String(response.headers['content-security-policy']);
  assert.match(policy, /^frame-ancestors 'self'; default-src 'none'; /);
  assert.equal(response.headers['cross-origin-resource-policy'], 'same-origin');

  const json = /id="viewer-config">(.*?)<\/script>/.exec(response.body)?.[1] ?? '';
  const { model, grant } = JSON.parse(json);
  assert.equal(grant, '');
  const file = await app.inject({ url: model.url, headers: HOST_HEADER });
  assert.equal(file.rawPayload.byteLength, model.bytes);
});
