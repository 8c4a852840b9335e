import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Frame } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { DESIGN, openSdkPage, readCalls, waitForViewer } from './sdk-page.ts';

const SCRIPT = '<script src="SERVICE/sdk/v1/cloche.js"></script>';
const PATH = `/embed/iframe/v1/${DESIGN}?token=t`;

describe('<cloche-viewer>', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('shows a design, with the options of its attributes', async (t) => {
    const { page, messages, requests } = await openSdkPage(t, browser, {
      html: `<cloche-viewer design="cloche:design:${DESIGN}" token="t" auto-rotate camera-orbit="30deg auto auto"
        autoplay="false" title="Oak chair"></cloche-viewer>${SCRIPT}`,
      headers: { 'content-security-policy': "frame-src *; script-src *; style-src 'none'" },
    });
    await waitForViewer(page);
    const options = 'camera-orbit=30deg+auto+auto&auto-rotate=true&autoplay=false&title=Oak+chair';
    assert.deepEqual(requests.slice(1), [`${PATH}&${options}`]);
    const size = await page.evaluate(() => {
      const { clientWidth, clientHeight } = document.querySelector('cloche-viewer') as Element;
      return [
        getComputedStyle(document.querySelector('cloche-viewer') as Element).display,
        Math.round((clientWidth / clientHeight) * 100) / 100,
      ];
    });
    assert.deepEqual(size, ['block', 1.33]);
    assert.deepEqual(messages, []);
  });

  it('uses the snippet inside, which is shown without the script, too', async (t) => {
    const { page, requests } = await openSdkPage(t, browser, {
      html: `<cloche-viewer exposure="2"><iframe src="VIEWER" title="Oak chair"></iframe></cloche-viewer>`,
    });
    const frame = await waitUntil('the iframe', () => page.frames()[1]);
    await frame.waitForFunction(() => window.viewer !== undefined);
    const url = `${new URL(frame.url()).origin}/sdk/v1/cloche.js`;
    await page.addScriptTag({ url });
    await waitForViewer(page);
    await waitUntil('the options', async () => (await readCalls(frame)).length === 1);
    assert.deepEqual(await readCalls(frame), ['setOptions({"exposure":2})']);
    assert.deepEqual(requests, [PATH, '/sdk/v1/cloche.js']);
  });

  it('uses a snippet that the parser adds after the element is known', async (t) => {
    const { page } = await openSdkPage(t, browser, {
      html: `${SCRIPT}<cloche-viewer><script>1</script><iframe src="VIEWER"></iframe></cloche-viewer>`,
    });
    await waitForViewer(page);
    assert.equal(page.frames().length, 2);
  });

  it('sends changes of attributes and properties together, and loads nothing again', async (t) => {
    const { page, requests } = await openSdkPage(t, browser, {
      html: `<cloche-viewer src="VIEWER" auto-rotate exposure="2"></cloche-viewer>${SCRIPT}`,
    });
    const frame = await waitForViewer(page);
    await page.evaluate(() => {
      const element = document.querySelector('cloche-viewer');
      if (!element) return;
      element.removeAttribute('exposure');
      element.setAttribute('auto-rotate', 'false');
      element.variantName = 'Oak';
      element.scrollZoom = true;
      element.title = 'Chair';
    });
    await waitUntil('the options', async () => (await readCalls(frame)).length === 1);
    assert.deepEqual(await readCalls(frame), [
      'setOptions({"exposure":null,"autoRotate":false,"variantName":"Oak","scrollZoom":true,"title":"Chair"})',
    ]);
    assert.equal(requests.length, 2);
    const properties = await page.evaluate(() => {
      const { autoRotate, variantName, exposure, scrollZoom, src } =
        document.querySelector('cloche-viewer') ?? {};
      return { autoRotate, variantName, exposure, scrollZoom, src };
    });
    const src = requests[1];
    assert.ok(src?.startsWith(PATH));
    assert.deepEqual(
      { ...properties, src: '' },
      {
        autoRotate: false,
        variantName: 'Oak',
        exposure: undefined,
        scrollZoom: true,
        src: '',
      },
    );
  });

  it('shows another design when its source changes, and keeps its handle', async (t) => {
    const { page, requests } = await openSdkPage(t, browser, {
      html: `<cloche-viewer design="${DESIGN}" token="t" auto-rotate></cloche-viewer>${SCRIPT}`,
    });
    await waitForViewer(page);
    await page.evaluate(() => {
      const element = document.querySelector('cloche-viewer');
      window.handle = element?.viewer as typeof window.handle;
      element?.setAttribute('token', 'other');
    });
    const isOther = (frame: Frame) => frame.url().includes('token=other');
    const frame = await waitUntil('the other document', () => page.frames().find(isOther));
    const isConnected = () => frame.evaluate(() => window.viewer?.ackCount > 0).catch(() => false);
    await waitUntil('its connection', isConnected);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    assert.deepEqual(await readCalls(frame), ['getVariants()']);
    const isKept = () => window.handle === document.querySelector('cloche-viewer')?.viewer;
    assert.equal(await page.evaluate(isKept), true);
    assert.deepEqual(requests.slice(1), [
      `${PATH}&auto-rotate=true`,
      `${PATH.replace('=t', '=other')}&auto-rotate=true`,
    ]);
  });

  it('another design has the options of its attributes, not earlier changes, and is no step in the history', async (t) => {
    const { page, requests } = await openSdkPage(t, browser, {
      html: `<cloche-viewer design="${DESIGN}" token="t" title="Chair"></cloche-viewer>${SCRIPT}`,
    });
    const first = await waitForViewer(page);
    await page.evaluate(() => {
      const element = document.querySelector('cloche-viewer');
      if (element) element.variantName = 'Oak';
    });
    await waitUntil('the option', async () => (await readCalls(first)).length === 1);
    const length = await page.evaluate(() => history.length);
    await page.evaluate(() => {
      const element = document.querySelector('cloche-viewer');
      if (element) Object.assign(element, { token: 'other', variantName: 'Red', title: 'Table' });
    });
    const isOther = (frame: Frame) => frame.url().includes('token=other');
    const frame = await waitUntil('the other document', () => page.frames().find(isOther));
    const isConnected = () => frame.evaluate(() => window.viewer?.ackCount > 0).catch(() => false);
    await waitUntil('its connection', isConnected);
    const title = await page.evaluate(async () => {
      const { viewer } = document.querySelector('cloche-viewer') ?? {};
      await viewer?.getVariants();
      return viewer?.iframe.title;
    });
    assert.deepEqual(await readCalls(frame), ['getVariants()']);
    assert.match(requests.at(-1) ?? '', /token=other.*variant-name=Red/);
    assert.equal(title, 'Table');
    assert.equal(await page.evaluate(() => history.length), length);
  });

  it('dispatches the events of the viewer, and errors of the source', async (t) => {
    const { page } = await openSdkPage(t, browser, {
      html: `<cloche-viewer src="VIEWER"></cloche-viewer>${SCRIPT}`,
    });
    const frame = await waitForViewer(page);
    await page.evaluate(() => {
      window.log = [];
      const element = document.querySelector('cloche-viewer');
      for (const name of ['pick', 'error'] as const) {
        element?.addEventListener(name, ({ type, detail, bubbles }) => {
          const { code } = detail as { code?: string };
          window.log.push(`${type} ${code} ${bubbles}`);
        });
      }
    });
    await frame.evaluate(() =>
      window.viewer.send({ type: 'event', name: 'pick', detail: { code: 'a' } }),
    );
    await waitUntil('the event', () => page.evaluate(() => window.log.length === 1));
    await page.evaluate(() =>
      document.querySelector('cloche-viewer')?.setAttribute('src', 'ftp://a'),
    );
    await waitUntil('the error', () => page.evaluate(() => window.log.length === 2));
    const log = await page.evaluate(() => window.log);
    assert.deepEqual(log, ['pick a false', 'error sdk.invalid-source false']);
  });

  it('takes properties that were set before the script was loaded', async (t) => {
    const { page, viewerUrl } = await openSdkPage(t, browser, {
      html: '<cloche-viewer></cloche-viewer>',
    });
    await page.evaluate((src) => {
      Object.assign(document.querySelector('cloche-viewer') ?? {}, { src, autoRotate: true });
    }, viewerUrl);
    await page.addScriptTag({ url: `${new URL(viewerUrl).origin}/sdk/v1/cloche.js` });
    await waitForViewer(page);
    const attributes = await page.evaluate(() =>
      document.querySelector('cloche-viewer')?.getAttributeNames(),
    );
    assert.deepEqual(attributes, ['src', 'auto-rotate']);
  });

  it('continues after it was moved, ends when it is removed, and starts again', async (t) => {
    const { page } = await openSdkPage(t, browser, {
      html: `<cloche-viewer src="VIEWER"></cloche-viewer><main></main>${SCRIPT}`,
    });
    await waitForViewer(page);
    const results = await page.evaluate(async () => {
      const element = document.querySelector('cloche-viewer');
      if (!element) return;
      const { viewer } = element;
      document.querySelector('main')?.append(element);
      const afterMove = await viewer?.getVariants();
      element.remove();
      await Promise.resolve();
      const code = await viewer?.play().catch(({ code }) => code);
      const removed = element.viewer === undefined;
      document.body.append(element);
      return [
        viewer === element.viewer,
        afterMove,
        code,
        removed,
        await element.viewer?.getVariants(),
      ];
    });
    assert.deepEqual(results, [false, ['Oak'], 'sdk.destroyed', true, ['Oak']]);
  });

  it('loading the script twice is harmless', async (t) => {
    const { page, messages } = await openSdkPage(t, browser, {
      html: `${SCRIPT}<cloche-viewer src="VIEWER"></cloche-viewer>${SCRIPT}`,
    });
    await waitForViewer(page);
    assert.deepEqual(messages, []);
  });
});
