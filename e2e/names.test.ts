import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readViewerFiles } from '../server/src/embed/viewer-files.ts';
import { openService } from '../server/testing/harness.ts';
import { makeBox } from '../server/testing/models.ts';
import { openChromium } from './chromium.ts';
import { Sites } from './sites.ts';

const VIEWER = join(import.meta.dirname, '../viewer/dist');

const NAMES = [
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '</title></script><script>alert(1)</script>',
  '{{framed}} {{title}} $& $1',
  '<!--<script>',
  'مرحبا 椅子 🪑 &amp; “chairs”',
];

describe('names are hostile text', () => {
  it('they show as they are, in the snippet and in the frame, and run nothing', async (t) => {
    const sites = await Sites.open(t);
    const service = await openService(t, {
      listen: true,
      viewer: await readViewerFiles(VIEWER),
    });
    const headers = {
      authorization: `Bearer ${service.token}`,
      host: new URL(service.origin).host,
    };
    const send = async (url: string, payload: object | Buffer, type = 'application/json') => {
      const more = { ...headers, 'content-type': type, prefer: 'wait=60' };
      const answer = await service.app.inject({ method: 'POST', url, headers: more, payload });
      assert.ok(answer.statusCode < 300, answer.body);
      return answer;
    };
    const wish = {
      capabilities: ['embed'],
      origins: [sites.originOf('shop.test')],
      type: 'api',
      user: '~',
    };
    const { token } = (await send('/v1/tokens', wish)).json();
    const browser = await openChromium();
    t.after(() => browser.close());

    for (const [i, name] of NAMES.entries()) {
      const query = `name=${encodeURIComponent(name)}`;
      const design = await send(`/v1/designs?${query}`, makeBox({ name }), 'model/gltf-binary');
      const snippet = await send('/embed/iframe/v1', { uri: design.json().uri });
      const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token);

      const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
      const alarms: string[] = [];
      page.on('dialog', (dialog) => {
        alarms.push(dialog.message());
        void dialog.dismiss();
      });
      page.on('console', (line) => {
        if (line.type() === 'error') alarms.push(line.text());
      });
      page.on('pageerror', (error) => alarms.push(String(error)));
      await page.goto(sites.add('shop.test', `/name-${i}`, html));
      const element = page.locator('iframe');
      assert.equal(await page.locator('body > *').count(), 1, 'the name made elements of its own');
      assert.equal(await element.getAttribute('title'), name);
      const frame = page.frameLocator('iframe');
      await frame.locator('html[data-state="ready"]').waitFor({ timeout: 60_000 });
      assert.equal(await frame.locator('h1').textContent(), name);
      assert.equal(await frame.locator('title').textContent(), name);
      assert.equal(await frame.locator('#view').getAttribute('aria-label'), name);
      assert.deepEqual(alarms, []);
      await page.close();
    }
  });
});
