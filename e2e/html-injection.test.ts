import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');

const HOSTILE_NAMES = [
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '</title></script><script>alert(1)</script>',
  '{{viewerConfig}} {{title}} $& $1',
  '<!--<script>',
  'مرحبا 椅子 🪑 &amp; “chairs”',
];

describe('names that contain HTML', () => {
  it('are shown as text in the snippet and in the framed document, and run no script', async (t) => {
    const sites = await TestSites.open(t);
    const service = await openTestServer(t, {
      listen: true,
      viewer: await readViewerBuild(VIEWER_DIST),
    });
    const headers = {
      authorization: `Bearer ${service.token}`,
      host: new URL(service.origin).host,
    };
    const send = async (url: string, payload: object | Buffer, type = 'application/json') => {
      const allHeaders = { ...headers, 'content-type': type, prefer: 'wait=60' };
      const response = await service.app.inject({
        method: 'POST',
        url,
        headers: allHeaders,
        payload,
      });
      assert.ok(response.statusCode < 300, response.body);
      return response;
    };
    const tokenRequest = {
      capabilities: ['embed'],
      origins: [sites.getOrigin('shop.test')],
      type: 'api',
      user: '~',
    };
    const { token } = (await send('/v1/tokens', tokenRequest)).json();
    const browser = await openSharedChromium();
    t.after(() => browser.close());

    for (const [index, name] of HOSTILE_NAMES.entries()) {
      const query = `name=${encodeURIComponent(name)}`;
      const design = await send(`/v1/designs?${query}`, makeBox({ name }), 'model/gltf-binary');
      const snippet = await send('/embed/iframe/v1', { uri: design.json().uri });
      const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token);

      const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
      const errors: string[] = [];
      page.on('dialog', (dialog) => {
        errors.push(dialog.message());
        void dialog.dismiss();
      });
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(sites.addPage('shop.test', `/name-${index}`, html));
      const element = page.locator('iframe');
      assert.equal(await page.locator('body > *').count(), 1, 'the name created elements');
      assert.equal(await element.getAttribute('title'), name);
      const frame = page.frameLocator('iframe');
      await frame.locator('html[data-state="ready"]').waitFor({ timeout: 60_000 });
      assert.equal(await frame.locator('h1').textContent(), name);
      assert.equal(await frame.locator('title').textContent(), name);
      assert.equal(await frame.locator('#view').getAttribute('aria-label'), name);
      assert.deepEqual(errors, []);
      await page.close();
    }
  });
});
