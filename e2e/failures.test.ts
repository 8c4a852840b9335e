/**
 * Provokes the failures of the framed document on running services, most over plain http, with real posters.
 * With CLOCHE_SCREENSHOTS=<folder>, writes a picture of each failure in each size.
 */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { Frame, Locator, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { createBasePolicy } from '../server/src/embed/content-security-policy.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { parseViewerTemplate } from '../server/src/embed/viewer-template.ts';
import { openProcessingEnvironment } from '../server/src/processing/processing-environment.ts';
import { type EmbeddedDesign, openEmbeddedDesign } from './embedded-design.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { type FailureCase, failureCases } from './failure-cases.ts';
import { findViolations } from './find-violations.ts';
import { makeHighPolyModel } from './round-trip-models.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';
import type { Interference } from './unreliable-proxy.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const SCREENSHOTS = process.env.CLOCHE_SCREENSHOTS;
const WAIT_OPTIONS = { timeout: 60_000 };
const DESIGN_NAME = 'Prototype of next year';

/** The sizes of the iframe, CSS pixels. */
const SIZES = [
  { width: 120, height: 90 },
  { width: 360, height: 270 },
  { width: 1440, height: 810 },
];

/** The first document of a frame never learns whether it is in view. */
const HIDE_VISIBILITY_ONCE = `if (self !== top && sessionStorage.getItem('wasLoaded') === null) {
  sessionStorage.setItem('wasLoaded', '');
  IntersectionObserver.prototype.observe = () => {};
}`;

it('every failure of the framed document shows a message that fits, and a way out', async (t) => {
  const [plain, secure] = await openRealDesigns(t);
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  for (const failure of failureCases) {
    const embedded = failure.secure ? secure : plain;
    await t.test(failure.name, (t) => provokeFailure(t, browser, embedded, failure));
  }
});

it('a page that is opened again by back loads the design again if it was left during that, and only then', async (t) => {
  const [, { sites, proxy, html }] = await openRealDesigns(t);
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  // The browser keeps no model and no script of the run before.
  const openPage = async (content: string, initScript = '') => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(initScript);
    await page.goto(sites.addPage('shop.test', '/left', content), { waitUntil: 'commit' });
    const iframe = await page.waitForSelector('iframe');
    return (await iframe.contentFrame()) as Frame;
  };
  const open = async (interference: Interference, state: string) => {
    proxy.interferences = [{ ...interference, hangs: true }];
    const frame = await openPage(createPage(html));
    await frame.locator(state).waitFor({ ...WAIT_OPTIONS, state: 'attached' });
    proxy.interferences = [];
    return frame;
  };
  const waitForModuleScript = (frame: Frame) =>
    frame.waitForFunction(
      () => document.readyState === 'complete' && !Reflect.get(globalThis, 'clocheBootstrap'),
      undefined,
      // Out of view, there are no animation frames.
      { ...WAIT_OPTIONS, polling: 100 },
    );
  /** What WebKit does with a page that was loading: other browsers do not keep it. Returns whether the document is still the same. */
  const isKept = async (frame: Frame) => {
    await frame.evaluate(() => {
      document.documentElement.dataset.left = '';
      for (const type of ['pagehide', 'pageshow'])
        dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
    });
    await (await frame.frameElement()).scrollIntoViewIfNeeded();
    const complete = frame.locator('html[data-interactive][data-state="ready"]');
    await complete.waitFor({ ...WAIT_OPTIONS, state: 'attached' });
    return frame.evaluate(() => document.documentElement.dataset.left !== undefined);
  };
  const controls = { path: /^\/embed\/viewer\/mount-deferred/, cutAt: 0.5 };
  const withoutControls = await open(controls, 'html[data-state="ready"]');
  assert.equal(await isKept(withoutControls), false, 'left before the controls');
  assert.equal(await isKept(withoutControls), true, 'left when everything is loaded');
  const modelUrl = proxy.requested.findLast((url) => url.endsWith('.glb')) ?? '';
  const model = { path: new RegExp(`^${modelUrl}`), cutAt: 0.5 };
  const withPreview = await open(model, 'html[data-interactive][data-state="preview"]');
  assert.equal(await isKept(withPreview), false, 'left with the preview');
  const beforeVisibility = await openPage(createPage(html), HIDE_VISIBILITY_ONCE);
  await waitForModuleScript(beforeVisibility);
  assert.equal(await isKept(beforeVisibility), false, 'left before it is known to be in view');
  const below = await openPage(
    `<div style="height: 200vh"></div>${createPage(html).replace('loading="lazy"', '')}`,
  );
  await waitForModuleScript(below);
  // After it is known to be out of view, the request is cancelled a moment later.
  await below.evaluate(async () => {
    const observed = new Promise((resolve) =>
      new IntersectionObserver(resolve).observe(document.documentElement),
    );
    await observed;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  });
  assert.equal(await isKept(below), true, 'left when it was never in view');
});

/** Opens services over http and https, each with a design that has a preview and posters. */
async function openRealDesigns(
  t: TestContext,
): Promise<[plain: EmbeddedDesign, secure: EmbeddedDesign]> {
  const workDirectory = await mkdtemp(join(tmpdir(), 'cloche-jobs-'));
  const viewer = await readViewerBuild(VIEWER_DIST);
  const path = process.env.CLOCHE_CHROMIUM;
  const processing = await openProcessingEnvironment({
    workDirectory,
    viewer: {
      render: parseViewerTemplate(viewer.languages.en.template),
      contentSecurityPolicy: createBasePolicy(viewer),
      assets: viewer.assets,
    },
    browser: path === undefined ? { kind: 'auto' } : { kind: 'path', path },
    maxTextureSize: 1024,
    maxTriangles: 1_000_000,
    sandboxLevel: 'auto',
    workers: 'auto',
    log: console,
  });
  t.after(async () => {
    await processing[Symbol.asyncDispose]();
    await rm(workDirectory, { recursive: true, force: true });
  });
  const model = makeHighPolyModel();
  const options = { processing, model, name: DESIGN_NAME, waitsUntilReady: true };
  return [
    await openEmbeddedDesign(t, options),
    await openEmbeddedDesign(t, { ...options, secure: true }),
  ];
}

async function provokeFailure(
  t: TestContext,
  browser: SharedBrowser,
  { sites, proxy, html }: EmbeddedDesign,
  failure: FailureCase,
): Promise<void> {
  const { host = 'shop.test', interferences = [] } = failure;
  proxy.interferences = interferences;
  t.after(() => {
    proxy.interferences = [];
  });
  const context = await browser.newContext({
    viewport: SIZES[1] as (typeof SIZES)[number],
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
    ...failure.contextOptions,
  });
  t.after(() => context.close());
  // The clock of the others is moved on.
  if (failure.prepare === undefined) await context.addInitScript(extendTimeLimits);
  if (failure.script) await context.addInitScript(failure.script);
  const page = await context.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await failure.prepare?.(page);
  const url = sites.addPage(
    host,
    `/${failure.name.replaceAll(' ', '-')}`,
    createPage(html, failure),
  );
  // Some frames never load completely.
  await page.goto(url, { waitUntil: 'commit' });
  const iframe = await page.waitForSelector('iframe');
  const frame = (await iframe.contentFrame()) as Frame;
  if (failure.cutAfter !== undefined) {
    await frame.locator(failure.cutAfter).waitFor({ ...WAIT_OPTIONS, state: 'attached' });
    proxy.cutHanging();
  }
  await failure.provoke?.(frame);

  const message = page.frameLocator('iframe').locator(failure.selector ?? '#error');
  await message.waitFor(WAIT_OPTIONS);
  const heading = message.locator(failure.selector === '#preview-notice' ? 'p' : 'h1, h2');
  let title = '';
  // Some texts are loaded when they are shown.
  await waitUntil(
    () => `the title "${failure.title}", not "${title}"`,
    async () => {
      title = (await heading.first().innerText()).trim();
      return title === failure.title;
    },
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const size of SIZES) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await assertReadable(frame, `${size.width} × ${size.height}`);
      if (SCREENSHOTS !== undefined) {
        const name = `${failure.name.replaceAll(' ', '-')}-${size.width}-${colorScheme}.png`;
        // In the first one, the iframe may still have its former size.
        await page.screenshot();
        await page.screenshot({ path: join(SCREENSHOTS, name) });
      }
    }
  }
  await page.setViewportSize(SIZES[1] as (typeof SIZES)[number]);
  if (!failure.runsNoScript) assert.deepEqual(await findViolations(frame), []);
  assert.equal(await isPictureVisible(frame), failure.showsPicture ?? true, 'a picture is visible');
  await assertAdvice(message, failure, messages.join('\n'));
  if (failure.namesDesign === false) {
    assert.doesNotMatch(await frame.content(), new RegExp(DESIGN_NAME));
    assert.doesNotMatch(await frame.title(), new RegExp(DESIGN_NAME));
  }
  await assertRecovery(page, failure, () => {
    proxy.interferences = [];
  });
}

/** The author of the page finds the advice in the message and in the console. */
async function assertAdvice(
  message: Locator,
  { advice, isSilent, runsNoScript }: FailureCase,
  consoleText: string,
): Promise<void> {
  if (advice === undefined) return;
  if (!isSilent && !runsNoScript) assert.match(consoleText, advice);
  await message.getByText('For the site’s author').click();
  assert.match(await message.locator('details').innerText(), advice);
}

/** Follows the way out, after the cause is gone: the design is shown. */
async function assertRecovery(page: Page, failure: FailureCase, repair: () => void) {
  const frame = page.frameLocator('iframe');
  const actions = frame.locator('button:visible, .message a:visible, #preview-notice a:visible');
  const names = await actions.allInnerTexts();
  assert.deepEqual(
    names.filter((name) => name === 'Reload' || name === 'Try again'),
    failure.recovery === undefined ? [] : [failure.recovery],
  );
  if (failure.recovery === undefined) return;
  const action = actions.filter({ hasText: failure.recovery });
  if (failure.recoversOffline) {
    await action.click();
    await frame.getByText('There is still no connection.').waitFor(WAIT_OPTIONS);
  }
  repair();
  await failure.repair?.(page);
  if (!failure.recoversItself) await action.click();
  if (failure.staysBroken) return;
  await frame.locator('html[data-state="ready"]').waitFor(WAIT_OPTIONS);
  assert.equal(await frame.locator('#error').isVisible(), false);
}

/** The iframe has the size of the window. */
function createPage(html: string, { sandbox, options }: Partial<FailureCase> = {}): string {
  const attribute = sandbox === undefined ? '' : ` sandbox="${sandbox}"`;
  return `<style>body{margin:0}iframe{height:100vh}</style>${html
    .replace('<iframe', `<iframe${attribute}`)
    .replace('?token=', options === undefined ? '$&' : `?${options}&amp;token=`)
    .replace(/aspect-ratio:[^;]*;/, '')}`;
}

/** The texts are inside of the frame, nothing is cut off, and everything is large enough. */
async function assertReadable(frame: Frame, size: string): Promise<void> {
  const problems = await frame.evaluate(() => {
    const { clientWidth, clientHeight } = document.documentElement;
    const checks: [problem: string, find: (element: Element) => boolean][] = [
      [
        'is outside of the frame',
        (element) => {
          const { left, top, right, bottom } = element.getBoundingClientRect();
          return left < 0 || top < 0 || right > clientWidth + 0.5 || bottom > clientHeight + 0.5;
        },
      ],
      ['is cut off', ({ scrollWidth, clientWidth }) => scrollWidth > Math.max(clientWidth, 1) + 1],
      ['is too small', (element) => Number.parseFloat(getComputedStyle(element).fontSize) < 12],
      [
        'is too low to be touched',
        (element) =>
          element.matches('button, summary, .message a, #preview-notice a') &&
          element.getBoundingClientRect().height < 24,
      ],
    ];
    const scrolls = [...document.querySelectorAll('html, .message')].filter(
      ({ scrollHeight, scrollWidth }) => scrollWidth > clientWidth || scrollHeight > clientHeight,
    );
    const texts = [...document.querySelectorAll('h1, h2, p, a, button, summary')].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        element.closest('.visually-hidden') === null &&
        element.textContent?.trim() !== '',
    );
    const found = texts.flatMap((element) =>
      checks
        .filter(([, hasProblem]) => hasProblem(element))
        .map(([problem]) => `${element.tagName} "${element.textContent?.slice(0, 30)}" ${problem}`),
    );
    return [...found, ...scrolls.map(({ tagName }) => `${tagName} scrolls`)];
  });
  assert.deepEqual(problems, [], size);
}

/** Whether a poster or the model can be seen. */
function isPictureVisible(frame: Frame): Promise<boolean> {
  return frame.evaluate(() => {
    const pictures = ['#poster', '#inline-poster', '#view canvas'].map((selector) =>
      document.querySelector(selector),
    );
    return pictures.some(
      (picture) =>
        picture?.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        !(picture instanceof HTMLImageElement && picture.naturalWidth === 0),
    );
  });
}
