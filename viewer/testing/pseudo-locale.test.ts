import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { BrowserContextOptions, Frame } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { renderErrorPage, VISITOR_PROBLEM_CODES } from '../../server/src/embed/error-page.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import { createBoxGlb } from './box-models.ts';
import { type EmbeddedViewer, openEmbeddedViewer } from './embedded-viewer.ts';
import { pseudoMessages, writePseudoDist } from './pseudo-locale.ts';
import { sendProblem, type ViewerServerOptions } from './test-server.ts';

const WIDTH = 320;
const TIMEOUT = { timeout: 60_000 };

const model = createAnimatedBoxGlb({ animations: ['Walk', 'Run'], variants: ['Oak', 'Blue'] });
const failingModel: ViewerServerOptions = {
  modelHandler: (response) => sendProblem(response, 503, 'server.busy', 'Busy.'),
};

describe('texts that are 40 % longer, in a frame of 320 px', () => {
  let browser: SharedBrowser;
  let dist: string;
  before(async () => {
    browser = await openSharedChromium();
    dist = await mkdtemp(join(tmpdir(), 'cloche-pseudo-'));
    await writePseudoDist(dist);
  });
  after(async () => {
    await browser.close();
    await rm(dist, { recursive: true });
  });

  it('controls, their menus, and a hint', async (t) => {
    const options = { script: keepHints };
    const { frame, page } = await openPseudoViewer(t, browser, { dist, model }, options);
    await frame.locator('#toolbar').waitFor({ ...TIMEOUT, state: 'visible' });
    await page.mouse.move(160, 80);
    await page.mouse.wheel(0, 10);
    await frame.locator('#hint.visible').waitFor(TIMEOUT);
    await assertFits(frame, '#hint', 'hint.zoom');
    const buttons = frame.locator('#toolbar button[aria-expanded]:visible');
    const count = await buttons.count();
    assert.ok(count > 0);
    for (let index = 0; index < count; index++) {
      await buttons.nth(index).click();
      await assertFits(frame, 'body');
      await page.keyboard.press('Escape');
    }
  });

  it('an error with a text and a button', async (t) => {
    const { frame } = await openPseudoViewer(t, browser, { dist, ...failingModel });
    await frame.locator('html[data-state="failed"]').waitFor(TIMEOUT);
    // The texts of rare errors are loaded when they are shown.
    const title = pseudoMessages['error.unavailable.title'];
    await frame.locator('#error h2', { hasText: title }).waitFor(TIMEOUT);
    await frame.locator('#error summary').click();
    await assertFits(frame, '#error', 'error.unavailable.title');
  });

  it('the notice over a preview', async (t) => {
    const preview = createBoxGlb();
    const { frame } = await openPseudoViewer(t, browser, {
      dist,
      ...failingModel,
      config: { preview: { url: '/preview.glb', bytes: preview.byteLength } },
      files: { '/preview.glb': preview },
    });
    await frame.locator('#preview-notice').waitFor({ ...TIMEOUT, state: 'visible' });
    await assertFits(frame, '#preview-notice', 'previewNotice.text');
  });

  it('the button that loads the model', async (t) => {
    const config = { options: { loading: 'click' as const } };
    const { frame } = await openPseudoViewer(t, browser, { dist, model, config });
    await frame.locator('#load').waitFor({ ...TIMEOUT, state: 'visible' });
    await assertFits(frame, '#load', 'loading.start');
  });

  it('a refusal', async (t) => {
    const config = { allowedOrigins: ['https://other.example'] };
    const { frame } = await openPseudoViewer(t, browser, { dist, model, config });
    await frame.locator('html[data-state="refused"]').waitFor(TIMEOUT);
    await frame.locator('#error summary').click();
    await assertFits(frame, '#error', 'refused.title');
  });

  it('the message without scripts', async (t) => {
    const options = { javaScriptEnabled: false };
    const { frame } = await openPseudoViewer(t, browser, { dist, model }, options);
    await frame.locator('#not-started').waitFor({ ...TIMEOUT, state: 'visible' });
    await frame.locator('#not-started summary').click();
    await assertFits(frame, '#not-started', 'start.failed.title');
  });

  it('each error page', async (t) => {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 240 } });
    t.after(() => page.close());
    for (const code of VISITOR_PROBLEM_CODES) {
      const html = renderErrorPage(code, {
        publicOrigin: 'https://cloche.example',
        language: 'en',
        messages: pseudoMessages,
        pageOrigin: 'https://a-shop-with-a-long-name.example',
        refreshes: true,
      });
      await page.setContent(html);
      await page.locator('summary').click();
      await assertFits(page.mainFrame(), 'body', 'forAuthor');
    }
  });
});

function openPseudoViewer(
  t: TestContext,
  browser: SharedBrowser,
  served: ViewerServerOptions,
  contextOptions: BrowserContextOptions & { script?: () => void } = {},
): Promise<EmbeddedViewer> {
  const frameSize = { width: `${WIDTH}px`, height: '320px' };
  const options = { deviceScaleFactor: 1, ...contextOptions };
  return openEmbeddedViewer(t, browser, { frameSize, ...served }, options);
}

/** Runs in each document: hints stay, which otherwise disappear after three seconds. */
function keepHints(): void {
  const { setTimeout } = window;
  window.setTimeout = ((handler: () => void, ms?: number, ...args: unknown[]) =>
    setTimeout(handler, ms === 3000 ? 1e6 : ms, ...args)) as never;
}

/** Asserts that the text of a key is shown in an element, and that nothing in the document is cut off. */
async function assertFits(
  frame: Frame,
  selector: string,
  key?: keyof typeof pseudoMessages,
): Promise<void> {
  if (key !== undefined) {
    const [start = ''] = pseudoMessages[key].split('{');
    const text = await frame.locator(selector).innerText();
    assert.ok(text.includes(start), `${start} is not in: ${text}`);
  }
  assert.deepEqual(await frame.evaluate(findOverflows), []);
}

/** Runs in the browser: finds visible texts that are wider than their element, and elements outside the frame. */
function findOverflows(): string[] {
  const { clientWidth, scrollWidth } = document.documentElement;
  const found = scrollWidth > clientWidth ? ['the document'] : [];
  for (const element of document.querySelectorAll('body *')) {
    const isShown = element.checkVisibility({ visibilityProperty: true });
    const isText = [...element.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE);
    if (!isShown || !isText || element.closest('.visually-hidden, script, style, select')) continue;
    const { left, right } = element.getBoundingClientRect();
    const isInline = getComputedStyle(element).display === 'inline';
    const isCutOff = !isInline && element.scrollWidth > element.clientWidth + 1;
    if (left < -1 || right > clientWidth + 1 || isCutOff)
      found.push(`${element.tagName} ${element.textContent.trim()}: ${left} to ${right}`);
  }
  return found;
}
