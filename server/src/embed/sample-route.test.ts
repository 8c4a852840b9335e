import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER } from '../../testing/requests.ts';
import { readViewerBuild } from './viewer-build.ts';

const VIEWER_DIST = join(import.meta.dirname, '../../../viewer/dist');

for (const path of ['/embed/sample/v1', '/embed/sample/v1/examples']) {
  it(`${path} needs no token, takes options, and any page may frame it`, async (t) => {
    const viewer = await readViewerBuild(VIEWER_DIST);
    const { app } = await openTestServer(t, { viewer });
    const response = await app.inject({ url: `${path}?&theme=dark&color=1`, headers: HOST_HEADER });
    assert.equal(response.statusCode, 200);
    const policy = String(response.headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'/);
    assert.doesNotMatch(policy, /frame-ancestors/);

    const json = /id="viewer-config">(.*?)<\/script>/.exec(response.body)?.[1] ?? '';
    const { model, grant, shared, allowedOrigins, options, optionWarnings } = JSON.parse(json);
    assert.deepEqual([grant, shared, allowedOrigins], ['', true, []]);
    assert.deepEqual(options, { theme: 'dark' });
    assert.equal(optionWarnings.length, 1);
    const file = await app.inject({ url: model.url, headers: HOST_HEADER });
    assert.equal(file.rawPayload.byteLength, model.bytes);
  });
}
