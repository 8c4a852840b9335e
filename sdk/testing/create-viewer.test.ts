import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { DESIGN, openSdkPage, readCalls, waitForViewer } from './sdk-page.ts';

const SCRIPT = '<script src="SERVICE/sdk/v1/cloche.js"></script>';
const SNIPPET = '<iframe src="VIEWER" title="Oak chair" width="300" height="200"></iframe>';

describe('createViewer', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('adds the iframe of a snippet, from the service that has sent the script', async (t) => {
    const { page, messages, requests } = await openSdkPage(t, browser, {
      html: `${SCRIPT}<div id="view"></div>`,
      // Neither inline styles nor other scripts.
      headers: { 'content-security-policy': "frame-src *; script-src *; style-src 'none'" },
    });
    await page.evaluate((design) => {
      const container = document.querySelector('div') as HTMLElement;
      container.style.cssText = 'width: 200px; height: 100px';
      window.handle = Cloche.createViewer(container, {
        design: `cloche:design:${design}`,
        token: 'cloche_pk_1',
        autoRotate: true,
        background: '#ff0000',
        title: 'Oak chair',
      });
    }, DESIGN);
    await page.evaluate(() => window.handle.ready);
    assert.deepEqual(requests.slice(1), [
      `/embed/iframe/v1/${DESIGN}?token=cloche_pk_1&auto-rotate=true&background=%23ff0000&title=Oak+chair`,
    ]);
    const attributes = await page.evaluate(() => {
      const { title, loading, referrerPolicy, allow, clientWidth, clientHeight } =
        window.handle.iframe;
      return { title, loading, referrerPolicy, allow, clientWidth, clientHeight };
    });
    assert.deepEqual(attributes, {
      title: 'Oak chair',
      loading: 'lazy',
      referrerPolicy: 'strict-origin',
      allow: 'fullscreen; xr-spatial-tracking',
      clientWidth: 200,
      clientHeight: 100,
    });
    assert.deepEqual(messages, []);
  });

  it('works as a module, too', async (t) => {
    const { page } = await openSdkPage(t, browser, {
      html: `<div></div><script type="module">
        import { createViewer } from "SERVICE/sdk/v1/cloche.mjs";
        window.handle = createViewer(document.querySelector('div'), { design: '${DESIGN}', token: 't' });
      </script>`,
    });
    const frame = await waitForViewer(page);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    assert.deepEqual(await readCalls(frame), ['getVariants()']);
  });

  it('connects to a snippet that has loaded before the script, and adds options to it', async (t) => {
    const { page, messages } = await openSdkPage(t, browser, { html: SNIPPET });
    await page.waitForLoadState('load');
    await addScript(page);
    await page.evaluate(() => {
      window.handle = Cloche.createViewer(document.querySelector('iframe'), { autoRotate: true });
    });
    const frame = await waitForViewer(page);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    assert.deepEqual(await readCalls(frame), ['setOptions({"autoRotate":true})', 'getVariants()']);
    assert.deepEqual(messages, []);
  });

  it('connects to a snippet inside of an element, and its destroy() leaves the snippet', async (t) => {
    const { page } = await openSdkPage(t, browser, { html: `${SCRIPT}<div>${SNIPPET}</div>` });
    await createHandle(page, 'div');
    await waitForViewer(page);
    await page.evaluate(() => window.handle.destroy());
    assert.equal(await page.locator('iframe').count(), 1);
    const code = await page.evaluate(() => window.handle.play().catch(({ code }) => code));
    assert.equal(code, 'sdk.destroyed');
  });

  it('destroy() removes the iframe that it has added', async (t) => {
    const { page } = await openSdkPage(t, browser, { html: `${SCRIPT}<div></div>` });
    await page.evaluate((design) => {
      const options = { design, token: 't' };
      window.handle = Cloche.createViewer(document.querySelector('div'), options);
    }, DESIGN);
    await waitForViewer(page);
    await page.evaluate(() => window.handle.destroy());
    assert.equal(await page.locator('iframe').count(), 0);
  });

  for (const [reason, options] of [
    ['no design', '{}'],
    ['a design without a token', `{ design: '${DESIGN}' }`],
    ['a src that is no URL of a service', `{ src: 'javascript:alert(1)' }`],
    ['a service that is no URL', `{ design: '${DESIGN}', token: 't', service: 'shop' }`],
  ]) {
    it(`throws sdk.invalid-source: ${reason}`, async (t) => {
      const { page } = await openSdkPage(t, browser, { html: `${SCRIPT}<div></div>` });
      const code = await page.evaluate(
        `try { Cloche.createViewer(document.querySelector('div'), ${options}) } catch ({ code }) { code }`,
      );
      assert.equal(code, 'sdk.invalid-source');
      assert.equal(await page.locator('iframe').count(), 0);
    });
  }

  it('a second handle for the same iframe replaces the first', async (t) => {
    const { page } = await openSdkPage(t, browser, { html: `${SCRIPT}${SNIPPET}` });
    await createHandle(page);
    await waitForViewer(page);
    const code = await page.evaluate(async () => {
      const first = window.handle;
      window.handle = Cloche.createViewer(document.querySelector('iframe'));
      await window.handle.getVariants();
      return first.getVariants().catch(({ code }) => code);
    });
    assert.equal(code, 'sdk.destroyed');
  });

  it('enters and leaves full screen', async (t) => {
    const { page } = await openSdkPage(t, browser, {
      html: `${SCRIPT}${SNIPPET}<button onclick="handle.enterFullscreen()">Full screen</button>`,
    });
    await createHandle(page);
    const frame = await waitForViewer(page);
    await page.locator('button').click();
    await page.waitForFunction(() => document.fullscreenElement?.tagName === 'IFRAME');
    await page.evaluate(() => window.handle.exitFullscreen());
    assert.ok(await page.evaluate(() => document.fullscreenElement === null));
    // Not in full screen by this page: the viewer may be, by its own button.
    await page.evaluate(() => window.handle.exitFullscreen());
    assert.deepEqual(await readCalls(frame), ['exitFullscreen()']);
  });

  it('sends options again to a document that has loaded itself again', async (t) => {
    const { page } = await openSdkPage(t, browser, { html: `${SCRIPT}${SNIPPET}` });
    await createHandle(page);
    const frame = await waitForViewer(page);
    await page.evaluate(() => window.handle.setOptions({ exposure: 2, autoRotate: null }));
    const loaded = page.waitForEvent('framenavigated', (navigated) => navigated === frame);
    await frame.evaluate(() => location.reload()).catch(() => {});
    // Until then, the calls are those of the earlier document.
    await loaded;
    await waitUntil('the options', async () => {
      const calls = await readCalls(frame).catch((): string[] => []);
      return calls.includes('setOptions({"exposure":2,"autoRotate":null})');
    });
    assert.equal(await frame.evaluate(() => window.viewer.calls.length), 1);
  });
});

async function addScript(page: Page): Promise<void> {
  const service = new URL(page.url());
  service.hostname = 'cloche.test';
  await page.addScriptTag({ url: `${service.origin}/sdk/v1/cloche.js` });
}

/** Creates the handle of the first iframe, and logs its events. */
async function createHandle(page: Page, selector = 'iframe'): Promise<void> {
  await page.evaluate((selector) => {
    window.handle = Cloche.createViewer(document.querySelector(selector));
  }, selector);
}
