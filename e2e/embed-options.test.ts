import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { readScreenPixels, waitForStablePicture } from '../viewer/testing/embedded-viewer.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const HOSTILE_TEXT = '</title></script></style><img src=x onerror=alert(1)>{{title}}"\'&amp;$&';
const HOSTILE_BACKGROUNDS = [
  '#fff}</style><script>alert(1)</script>',
  'red;background-image:url(https://evil.example/)',
  '"><script>alert(1)</script>',
];

/** Opens the service with the built viewer, a site, and a browser; shows the design with a query or options. */
async function openWorld(t: TestContext) {
  const sites = await TestSites.open(t);
  const viewer = await readViewerBuild(VIEWER_DIST);
  const service = await openTestServer(t, { listen: true, viewer });
  const send = async (method: 'POST' | 'PATCH', url: string, payload: object, type?: string) => {
    const { statusCode, body, json } = await service.app.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${service.token}`,
        host: new URL(service.origin).host,
        'content-type': type ?? 'application/json',
        prefer: 'wait=60',
      },
      payload,
    });
    assert.ok(statusCode < 300, body);
    return { body, json };
  };
  const origins = [sites.getOrigin('shop.test')];
  const tokenRequest = { capabilities: ['embed'], origins, type: 'api', user: '~' };
  const { token } = (await send('POST', '/v1/tokens', tokenRequest)).json();
  const design = (await send('POST', '/v1/designs', makeBox(), 'model/gltf-binary')).json();
  const browser = await openSharedChromium();
  t.after(() => browser.close());

  const createHtml = async (options: object) => {
    const { body } = await send('POST', '/embed/iframe/v1', { uri: design.uri, options });
    return body.replace('CLOCHE_EMBED_TOKEN', token);
  };
  const show = async (html: string) => {
    const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
    t.after(() => page.close());
    const messages = recordMessages(page);
    await page.goto(sites.addPage('shop.test', `/${crypto.randomUUID()}`, html));
    const frame = page.frameLocator('iframe');
    await frame.locator('html[data-state="ready"]').waitFor({ timeout: 90_000 });
    return { page, frame, ...messages };
  };
  return { design, send, createHtml, show };
}

function recordMessages(page: Page) {
  const errors: string[] = [];
  const warnings: string[] = [];
  page.on('dialog', (dialog) => {
    errors.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
    if (message.type() === 'warning') warnings.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  return { errors, warnings };
}

describe('options of an embed, in Chromium', () => {
  it('hostile texts of a snippet, a URL and a design are text, and run no script', async (t) => {
    const { design, send, createHtml, show } = await openWorld(t);
    const options = { title: HOSTILE_TEXT, variantName: HOSTILE_TEXT, animationName: HOSTILE_TEXT };
    const plain = await createHtml({});
    const fromUrl = plain.replace(
      '" title=',
      `&amp;title=${encodeURIComponent(HOSTILE_TEXT)}&amp;variant-name=${encodeURIComponent(HOSTILE_TEXT)}" title=`,
    );
    const snippet = await createHtml(options);
    await send('PATCH', `/v1/designs/${design.id}`, { viewer: options });
    for (const html of [snippet, fromUrl, plain]) {
      const { page, frame, errors } = await show(html);
      assert.equal(await page.locator('body > *').count(), 1, 'the title created elements');
      assert.equal(await frame.locator('title').textContent(), HOSTILE_TEXT);
      assert.equal(await frame.locator('#view').getAttribute('aria-label'), HOSTILE_TEXT);
      assert.equal(await frame.locator('img[src="x"]').count(), 0);
      assert.deepEqual(errors, []);
      await page.close();
    }
  });

  it('a background that is not a color is ignored, with a line in the console', async (t) => {
    const { createHtml, show } = await openWorld(t);
    const plain = await createHtml({});
    for (const background of HOSTILE_BACKGROUNDS) {
      const query = `&amp;background=${encodeURIComponent(background)}`;
      const { page, frame, errors, warnings } = await show(
        plain.replace('" title=', `${query}" title=`),
      );
      assert.equal(await frame.locator('html').getAttribute('data-own-background'), null);
      const color = await frame
        .locator('html')
        .evaluate((root) => getComputedStyle(root).getPropertyValue('--own-background'));
      assert.equal(color, '');
      const findLines = () =>
        warnings.filter((text) => /^Cloche: .*background=.* must be a color/.test(text));
      await waitUntil('the line', () => findLines().length > 0);
      const lines = findLines();
      assert.equal(lines.length, 1, warnings.join('\n'));
      assert.deepEqual(errors, []);
      await page.close();
    }
  });

  it('a transparent embed shows a dark page behind it, and a colored one its color', async (t) => {
    const { createHtml, show } = await openWorld(t);
    const readCorner = async (options: object) => {
      const style = '<style>:root{color-scheme:dark;background:#8040c0}body{margin:0}</style>';
      const { page, errors } = await show(style + (await createHtml(options)));
      await waitForStablePicture(page);
      // The page has only the iframe, in its upper left corner.
      const { data } = await readScreenPixels(page);
      const corner = [...data.subarray(0, 3)];
      assert.deepEqual(errors, []);
      await page.close();
      return corner;
    };
    assert.deepEqual(await readCorner({ background: 'transparent' }), [0x80, 0x40, 0xc0]);
    assert.deepEqual(await readCorner({ background: '#204060' }), [0x20, 0x40, 0x60]);
  });
});
