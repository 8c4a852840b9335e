import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { CameraState } from '@cloche/contract/message';
import type { Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { waitUntil } from '../scripts/wait-until.ts';
import { readConsoleBuild } from '../server/src/console/console-build.ts';
import {
  EXAMPLE_EMBED_PATH,
  EXAMPLE_NAMES,
  EXAMPLES_FOLDER,
  readExamplePage,
} from '../server/src/docs/example-pages.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { readSdkBuild } from '../server/src/sdk/sdk-build.ts';
import { openTestServer, type TestServer } from '../server/testing/harness.ts';
import { issueToken, uploadTestDesign } from '../server/testing/requests.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

const ROOT = join(import.meta.dirname, '..');
const WAIT = { timeoutMs: 120_000 };
const VIEWPORT = { width: 800, height: 720 };
const MAX_CONTEXTS = 8;

describe('the example pages', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('variant picker: the pot has another color', async (t) => {
    const { page, frames } = await openExample(t, browser, 'variant-picker');
    await waitUntilLoaded(frames);
    assert.ok((await countBlue(page, 'iframe')) < 20, 'before');
    await page.getByRole('radio', { name: 'Cobalt' }).check();
    await waitUntil('the pot is blue', async () => (await countBlue(page, 'iframe')) > 200, WAIT);
  });

  it('scroll: each chapter has a camera of its own, and it returns', async (t) => {
    const { page, frames } = await openExample(t, browser, 'scroll-camera');
    await waitUntilLoaded(frames);
    const start = await waitForTheta(page, (theta) => Math.abs(theta - toRadians(-40)) < 0.05);
    await page.evaluate('scrollTo(0, 1e6)');
    await waitForTheta(page, (theta) => Math.abs(theta - toRadians(220)) < 0.05);
    await page.evaluate('scrollTo(0, 0)');
    await waitForTheta(page, (theta) => Math.abs(theta - start) < 0.05);
  });

  it('compare: the other camera follows, in both directions', async (t) => {
    const { page, frames } = await openExample(t, browser, 'compare');
    await waitUntilLoaded(frames);
    for (const [moved, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const { theta: before } = await getOrbit(page, other);
      await drag(page, moved);
      let thetas: number[] = [];
      await waitUntil(
        () => `both cameras are the same: ${thetas}`,
        async () => {
          const orbits = await Promise.all([getOrbit(page, moved), getOrbit(page, other)]);
          thetas = orbits.map(({ theta }) => theta);
          const [a = 0, b = 0] = thetas;
          return Math.abs(a - before) > 0.05 && Math.abs(a - b) < 0.001;
        },
        WAIT,
      );
    }
  });

  it('gallery: every embed in view is live, with at most eight contexts', async (t) => {
    const { page } = await openExample(t, browser, 'gallery');
    const live = async (count: number) => {
      const frames = await framesInView(page);
      const states = await Promise.all(frames.map(readState));
      return states.length >= count && states.every((state) => state === 'ready');
    };
    // More are in view than there are contexts.
    await waitUntil('all in view are live at the top', () => live(MAX_CONTEXTS + 1), WAIT);
    assert.equal(await page.locator('iframe').count(), 40);
    await page.evaluate('scrollTo(0, 1e6)');
    await waitUntil('all in view are live at the bottom', () => live(1), WAIT);
    const contexts = await Promise.all(embedFrames(page).map(countContexts));
    const total = contexts.reduce((sum, count) => sum + count, 0);
    assert.ok(total > 0 && total <= MAX_CONTEXTS, `${total} contexts`);
  });

  it('configurator: variant, color, parts, animation and picture', async (t) => {
    const { page, frames } = await openExample(t, browser, 'configurator');
    await waitUntilLoaded(frames);
    const call = <Result>(expression: string) => page.evaluate<Result>(`viewer.${expression}`);
    await page.getByRole('combobox', { name: 'Pot' }).selectOption('Cobalt');
    await waitUntil('the variant', async () => (await call('getVariant()')) === 'Cobalt', WAIT);
    await page.locator('[name=lift]').fill('1');
    await waitUntil(
      'the animation',
      async () => Math.abs((await call<{ time: number }>('getAnimation()')).time - 1) < 0.01,
      WAIT,
    );
    await page.getByRole('checkbox', { name: 'With a glass dome' }).uncheck();
    const isDomeVisible = `getParts().then(function find(parts) {
      return parts.reduce((found, part) => found ?? (part.name === 'Dome' ? part.visible : find(part.children)), undefined);
    })`;
    await waitUntil('the dome is hidden', async () => (await call(isDomeVisible)) === false, WAIT);
    assert.equal(await page.locator('output').innerText(), '€ 56');
    await page.locator('[name=wood]').fill('#0000ff');
    await waitUntil('the base is blue', async () => (await countBlue(page, 'iframe')) > 1500, WAIT);
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: WAIT.timeoutMs }),
      page.getByRole('button', { name: 'Save a picture' }).click(),
    ]);
    const { width, height, format } = await sharp(await download.path()).metadata();
    assert.deepEqual([width, height, format], [1600, 1600, 'png']);
  });

  it('React: a property changes the variant', async (t) => {
    const { page } = await openExample(t, browser, 'react');
    await waitUntil('the component is ready', () => page.getByText('Ready').isVisible(), WAIT);
    await waitUntilLoaded(embedFrames(page));
    await page.getByRole('button', { name: 'Next pot: Cobalt' }).click();
    await waitUntil('the pot is blue', async () => (await countBlue(page, 'iframe')) > 200, WAIT);
    assert.ok(await page.getByRole('button', { name: 'Next pot: Ivory' }).isVisible());
  });

  it('transparent: the photo is visible around the model, the model is in front of it', async (t) => {
    const { page, frames } = await openExample(t, browser, 'transparent');
    await page.locator('iframe').evaluate((iframe) => {
      iframe.style.visibility = 'hidden';
    });
    const photo = await readPixels(page, '.photo');
    await page.locator('iframe').evaluate((iframe) => {
      iframe.style.visibility = '';
    });
    await waitUntilLoaded(frames);
    let share = 1;
    await waitUntil(
      () => `the model covers a part of the photo: ${share} of it is visible`,
      async () => {
        const shown = await readPixels(page, '.photo');
        const same = photo.filter((value, index) => Math.abs(value - (shown[index] ?? 0)) < 6);
        share = same.length / photo.length;
        return share > 0.4 && share < 0.97;
      },
      WAIT,
    );
  });

  it('click to load: the model is requested by the click, not before', async (t) => {
    const { page, frames, assets } = await openExample(t, browser, 'click-to-load');
    const [frame] = frames;
    const button = frame?.getByRole('button').first();
    await button?.waitFor({ timeout: WAIT.timeoutMs });
    await page.waitForLoadState('networkidle');
    assert.deepEqual(assets, [], 'before the click');
    await button?.click();
    await waitUntil(
      'the model is shown',
      () => page.getByText('The model is shown.').isVisible(),
      WAIT,
    );
    assert.ok(assets.length > 0);
  });

  it('/docs/examples: each runs in the page, and an edited one runs without access to the service', async (t) => {
    const { service } = await openService(t);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    t.after(() => context.close());
    const page = await context.newPage();
    for (const name of ['variant-picker', 'react', 'gallery']) {
      await page.goto(`${service.origin}/docs/examples#${name}`);
      await page.reload();
      await waitUntil(
        `the sample is shown in ${name}`,
        async () => {
          const states = await Promise.all(embedFrames(page).map(readState));
          return states.includes('ready');
        },
        WAIT,
      );
    }
    const code = `<!doctype html><title>x</title><p id="out"></p><script>
      const attempts = { origin, cookie: () => document.cookie, parent: () => parent.document.title,
        top: () => top.document.title, storage: () => localStorage.length };
      const results = Object.entries(attempts).map(([name, attempt]) => {
        try { return name + '=' + (typeof attempt === 'function' ? attempt() : attempt); }
        catch (error) { return name + ':' + error.name; }
      });
      fetch('${service.origin}/openapi.json').then(() => 'fetched', () => 'fetch refused')
        .then((text) => { document.getElementById('out').textContent = [...results, text].join(' '); });
    </script>`;
    await page.getByLabel('HTML of the example').fill(code);
    await page.getByRole('button', { name: 'Run' }).click();
    let text = '';
    await waitUntil(
      () => `the edited page runs: ${text}`,
      async () => {
        // The frame of the page before may still be there.
        const frame = page.frames().find((candidate) => candidate.url().startsWith('data:'));
        const read = frame?.locator('#out').innerText({ timeout: 5_000 });
        text = (await read?.catch(() => '')) ?? '';
        return text !== '';
      },
      WAIT,
    );
    assert.equal(
      text,
      'origin=null cookie:SecurityError parent:SecurityError top:SecurityError storage:SecurityError fetch refused',
    );
  });

  it('all pages fit a narrow screen, in light and dark', async (t) => {
    const { service, sites, values } = await openService(t);
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        viewport: { width: 360, height: 740 },
        colorScheme,
      });
      t.after(() => context.close());
      const page = await context.newPage();
      // The embeds have tests of their own.
      await page.route('**/embed/iframe/**', (route) => route.abort());
      for (const name of EXAMPLE_NAMES) {
        await page.goto(await addExample(service, sites, name, values));
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        assert.equal(overflow, 0, `${name} at 360 pixels`);
      }
    }
  });
});

type Values = { id: string; token: string };

/** Opens a service with the sample of the examples as a design, and a site that may show it. */
async function openService(t: TestContext) {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(join(ROOT, 'viewer/dist')),
    console: await readConsoleBuild(join(ROOT, 'console/dist')),
    sdk: await readSdkBuild(join(ROOT, 'sdk/dist')),
  });
  const sites = await TestSites.open(t);
  const sample = await readFile(join(EXAMPLES_FOLDER, 'sample.glb'));
  const { id } = await uploadTestDesign(service, 'Succulent under glass', sample);
  const { token } = await issueToken(service, { origins: [sites.getOrigin('shop.test')] });
  return { service, sites, values: { id, token } };
}

/** Adds an example as a page of the site, with a design and a token. Returns its URL. */
async function addExample(
  service: TestServer,
  sites: TestSites,
  name: string,
  { id, token }: Values,
): Promise<string> {
  const { html } = readExamplePage(name, service.origin);
  const embed = `/embed/iframe/v1/${id}?token=${token}`;
  const page = html
    .replaceAll(EXAMPLE_EMBED_PATH, embed)
    .replace('<!doctype html>', '')
    // So that tests can call it.
    .replace('const viewer =', 'globalThis.viewer =');
  return sites.addPage('shop.test', `/${name}`, page);
}

async function openExample(t: TestContext, browser: SharedBrowser, name: string) {
  const { service, sites, values } = await openService(t);
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' });
  t.after(() => context.close());
  await context.addInitScript(countContextsOfDocument);
  await context.addInitScript(extendTimeLimits);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  t.after(() => assert.deepEqual(errors, [], `errors of ${name}`));
  const assets: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/embed/assets/')) assets.push(request.url());
  });
  await page.goto(await addExample(service, sites, name, values), { waitUntil: 'commit' });
  await waitUntil('the embeds are requested', () => embedFrames(page).length > 0, WAIT);
  await page.waitForLoadState('load');
  return { page, frames: embedFrames(page), assets };
}

/** Drags an embed to the right, as a visitor does. */
async function drag(page: Page, index: number): Promise<void> {
  const box = await page.locator('iframe').nth(index).boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y, { steps: 4 });
  await page.mouse.up();
}

function embedFrames(page: Page): Frame[] {
  return page.frames().filter((frame) => frame.url().includes('/embed/'));
}

async function waitUntilLoaded(frames: readonly Frame[]): Promise<void> {
  let states: unknown[] = [];
  await waitUntil(
    () => `the models are shown: ${states}`,
    async () => {
      states = await Promise.all(frames.map(readState));
      return states.every((state) => state === 'ready');
    },
    WAIT,
  );
}

/** The state of the viewer, once its controls work. */
async function readState(frame: Frame): Promise<string | undefined> {
  const { state, interactive } = await frame
    .evaluate<DOMStringMap>('({ ...document.documentElement.dataset })')
    // A frame that is loading has no document to evaluate in.
    .catch((): DOMStringMap => ({}));
  return interactive === undefined ? 'without controls' : state;
}

async function framesInView(page: Page): Promise<Frame[]> {
  const inView = await page.locator('iframe').evaluateAll((iframes) =>
    iframes.map((iframe) => {
      const { top, bottom } = iframe.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    }),
  );
  const handles = await page.locator('iframe').elementHandles();
  const frames = await Promise.all(
    handles.filter((_, index) => inView[index]).map((handle) => handle.contentFrame()),
  );
  return frames.filter((frame) => frame !== null);
}

/** Runs in each document before all scripts. */
function countContextsOfDocument() {
  const contexts = new Set<WebGL2RenderingContext>();
  Object.assign(window, { contexts });
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
    const context = getContext.apply(this, args as never);
    if (args[0] === 'webgl2' && context !== null) contexts.add(context as never);
    return context;
  } as never;
}

function countContexts(frame: Frame): Promise<number> {
  return frame
    .evaluate<number>('[...contexts].filter((context) => !context.isContextLost()).length')
    .catch(() => 0);
}

async function getOrbit(page: Page, index: number): Promise<{ theta: number }> {
  const { orbit } = await page.evaluate<CameraState>(
    `${index === 0 ? 'left' : 'right'}.getCamera()`,
  );
  return orbit;
}

async function waitForTheta(page: Page, isExpected: (theta: number) => boolean): Promise<number> {
  let theta = Number.NaN;
  await waitUntil(
    () => `the camera has arrived: ${theta}`,
    async () => {
      const camera = await page.evaluate<CameraState>('viewer.getCamera()');
      // From -180 to 180 degrees: 220 degrees are -140.
      theta = camera.orbit.theta;
      return [theta, theta + 2 * Math.PI, theta - 2 * Math.PI].some(isExpected);
    },
    WAIT,
  );
  return theta;
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Counts the pixels of an element that are clearly blue. */
async function countBlue(page: Page, selector: string): Promise<number> {
  const pixels = await readPixels(page, selector);
  let count = 0;
  for (let index = 0; index < pixels.length; index += 3) {
    const [r = 0, g = 0, b = 0] = pixels.subarray(index, index + 3);
    if (b > 60 && b > r * 1.7 && b > g * 1.5) count += 1;
  }
  return count;
}

/** The pixels of an element: red, green, blue. */
async function readPixels(page: Page, selector: string): Promise<Buffer> {
  const screenshot = await page.locator(selector).first().screenshot();
  return sharp(screenshot).removeAlpha().raw().toBuffer();
}
