import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { optionAliases } from '@cloche/contract/option-aliases';
import { VIEWER_OPTION_NAMES } from '@cloche/contract/viewer-options';
import type { Frame, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import {
  findPixels,
  waitForPictureChange,
  waitForStablePicture,
} from '../viewer/testing/embedded-viewer.ts';
import { createBoxShadow } from '../viewer/testing/shadow-image.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';

const [WIDTH, HEIGHT] = [480, 320];
const WAIT = { timeout: 60_000 };
const DEGREE = Math.PI / 180;

type Shown = {
  page: Page;
  frame: Frame;
  /** Calls a method of the viewer over the message channel. */
  call: (method: string, ...args: unknown[]) => Promise<never>;
  warnings: string[];
};
type Row = { query: string; covers: string[]; check: (shown: Shown) => Promise<void> };

const readTheta = async ({ call }: Shown): Promise<number> => {
  const { orbit } = (await call('getCamera')) as { orbit: { theta: number } };
  return orbit.theta;
};
const isMagenta = (red: number, green: number, blue: number) =>
  red > 240 && green < 20 && blue > 240;
const isPink = (red: number, green: number, blue: number) =>
  red > 90 && green < red * 0.6 && blue > 50;
const isBlack = (red: number, green: number, blue: number) => Math.max(red, green, blue) < 8;

const ROWS: Row[] = [
  {
    query:
      'camera-orbit=0deg 90deg 3m&camera-target=0.1m 0m 0m&field-of-view=40deg&min-camera-orbit=-45deg&max-camera-orbit=45deg&autoplay=0',
    covers: ['cameraOrbit', 'cameraTarget', 'fieldOfView', 'minCameraOrbit', 'maxCameraOrbit'],
    async check(shown) {
      const camera = await shown.call('getCamera');
      const { orbit, target, fieldOfView } = camera as Record<string, Record<string, number>>;
      assert.ok(Math.abs((orbit?.radius ?? 0) - 3) < 1e-6 && orbit?.theta === 0);
      assert.ok(Math.abs((orbit?.phi ?? 0) - 90 * DEGREE) < 1e-6);
      assert.equal(target?.x, 0.1);
      assert.ok(Math.abs(Number(fieldOfView) - 40 * DEGREE) < 1e-6);
      for (const [theta, limited] of [
        [3, 45],
        [-3, -45],
      ] as const) {
        await shown.call('setCamera', { orbit: { theta } }, { durationMs: 0 });
        assert.ok(Math.abs((await readTheta(shown)) - limited * DEGREE) < 1e-6);
      }
    },
  },
  {
    query: 'auto-rotate&auto-rotate-delay=600000&rotation-per-second=-40deg&autoplay=0',
    covers: ['autoRotate', 'autoRotateDelay', 'rotationPerSecond'],
    async check(shown) {
      const start = await readTheta(shown);
      await waitUntil(
        'the model rotates to the left',
        async () => (await readTheta(shown)) < start,
      );
      await shown.page.mouse.click(WIDTH / 2, HEIGHT / 2);
      await waitForStablePicture(shown.page);
    },
  },
  {
    query: 'variant-name=Pink&animation-name=Turn&autoplay=0&shadow-intensity=0',
    covers: ['variantName', 'animationName', 'autoplay', 'shadowIntensity'],
    async check({ page, call }) {
      assert.equal(await call('getVariant'), 'Pink');
      const { name, playing } = (await call('getAnimation')) as { name: string; playing: boolean };
      assert.deepEqual([name, playing], ['Turn', false]);
      await waitForStablePicture(page);
      assert.ok((await findPixels(page, isPink)).count > 5000);
      await waitForPictureChange(page, () => call('setOptions', { shadowIntensity: null }));
    },
  },
  {
    query:
      'exposure=0&background=ff00ff&theme=dark&title=My chair&lang=de&controls=zoom&interaction=none&poster=0&loading=lazy&autoplay=0',
    covers: [
      ...['exposure', 'background', 'theme', 'title', 'lang', 'controls', 'interaction'],
      'poster',
    ],
    async check(shown) {
      const { page, frame } = shown;
      await frame.locator('#zoom-in').waitFor({ state: 'visible' });
      assert.equal(await frame.locator('#fullscreen').count(), 0);
      await waitForStablePicture(page);
      assert.ok((await findPixels(page, isMagenta)).count > 20_000);
      assert.ok((await findPixels(page, isBlack)).count > 5000);
      const root = frame.locator('html');
      assert.equal(await root.getAttribute('lang'), 'de');
      assert.equal(await root.getAttribute('data-theme'), 'dark');
      assert.equal(await root.evaluate((html) => getComputedStyle(html).colorScheme), 'dark');
      assert.equal(await frame.locator(':is(#poster, #inline-poster)').count(), 0);
      const view = frame.locator('#view');
      assert.equal(await view.getAttribute('aria-label'), 'My chair');
      assert.equal(await view.getAttribute('role'), 'img');
      const before = await readTheta(shown);
      await page.mouse.move(100, 100);
      await page.mouse.down();
      await page.mouse.move(300, 100);
      await page.mouse.up();
      await page.mouse.wheel(0, 300);
      await waitUntil('the page scrolls', () => page.evaluate(() => window.scrollY > 0));
      assert.equal(await readTheta(shown), before);
    },
  },
  {
    query: 'scroll-zoom&autoplay=0',
    covers: ['scrollZoom'],
    async check({ page, call }) {
      const readRadius = async () =>
        ((await call('getCamera')) as { orbit: { radius: number } }).orbit.radius;
      const before = await readRadius();
      await page.mouse.move(WIDTH / 2, HEIGHT / 2);
      await page.mouse.wheel(0, 300);
      await waitUntil('the camera moves away', async () => (await readRadius()) > before);
      assert.equal(await page.evaluate(() => window.scrollY), 0);
    },
  },
  {
    query: 'preload=1&autospin=2&transparent=1&ui_controls=0&ui_infos=0&scrollwheel=1',
    covers: ['preload', 'autospin', 'transparent', 'ui_controls', 'ui_infos', 'scrollwheel'],
    async check({ page, frame, call, warnings }) {
      assert.deepEqual(await call('getOptions'), {
        autoRotate: true,
        rotationPerSecond: '60deg',
        background: 'transparent',
        loading: 'eager',
        controls: 'none',
        scrollZoom: true,
      });
      const isPage = (red: number, green: number, blue: number) =>
        red === 1 && green === 2 && blue === 3;
      await waitUntil('the page behind', async () => (await findPixels(page, isPage)).count > 5000);
      assert.equal(await frame.locator('#toolbar').isVisible(), false);
      assert.deepEqual(warnings, []);
    },
  },
];

describe('the options of an embed, by its URL', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('are all in this test, and their aliases', () => {
    const covered = [...ROWS.flatMap(({ covers }) => covers), 'loading', 'autostart'];
    const documented = [...VIEWER_OPTION_NAMES, ...Object.keys(optionAliases)];
    assert.deepEqual(covered.toSorted(), documented.toSorted());
  });

  async function openDesign(t: TestContext) {
    const model = createAnimatedBoxGlb({
      animations: ['Spin', 'Turn'],
      variants: ['Pink'],
      shadow: await createBoxShadow(),
    });
    const { sites, html, origin } = await openEmbeddedDesign(t, { model });
    const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT } });
    t.after(() => context.close());
    await context.addInitScript(extendTimeLimits);
    return async (query: string) => {
      const page = await context.newPage();
      const warnings: string[] = [];
      page.on('console', (message) => {
        if (message.text().startsWith('Cloche')) warnings.push(message.text());
      });
      const escaped = encodeURI(query).replaceAll('&', '&amp;');
      const embed = html.replace(/(token=\w+)"/, (_, token) => `${token}&amp;${escaped}"`);
      const style = `body{margin:0;height:2000px;background:#010203}iframe{width:${WIDTH}px!important;height:${HEIGHT}px!important;aspect-ratio:auto!important;background:none!important}`;
      await page.goto(sites.addPage('shop.test', '/', `<style>${style}</style>${embed}`));
      const frame = page.frames()[1] ?? assert.fail('The page has no frame.');
      return { page, frame, warnings, call: createCall(page, origin) } as Shown;
    };
  }

  it('each has an effect that can be seen', async (t) => {
    const open = await openDesign(t);
    for (const { query, check } of ROWS) {
      const shown = await open(query);
      await shown.frame.locator('html[data-state="ready"][data-interactive]').waitFor(WAIT);
      await check(shown).catch((cause: unknown) => {
        throw new Error(query, { cause });
      });
      await shown.page.close();
    }
  });

  it('loading=click and autostart=0 wait for a click, or for the host page', async (t) => {
    const open = await openDesign(t);
    for (const query of ['loading=click', 'autostart=0']) {
      const shown = await open(query);
      const button = shown.frame.getByRole('button', { name: 'Load 3D view' });
      await button.waitFor({ state: 'visible', ...WAIT });
      assert.equal(await shown.frame.locator('html').getAttribute('data-state'), 'loading');
      if (query === 'loading=click') await button.click();
      else await shown.call('load');
      await shown.frame.locator('html[data-state="ready"]').waitFor(WAIT);
      await shown.page.close();
    }
  });
});

/** Connects to the viewer with the first call, as the SDK does. */
function createCall(page: Page, origin: string): Shown['call'] {
  return async (method, ...args) =>
    (await page.evaluate(
      async ({ origin, method, args }) => {
        type Port = { port: MessagePort; nextId: number };
        const host = window as unknown as { connection?: Port };
        const next = (
          port: MessagePort,
          isExpected: (data: { type: string; id?: number }) => boolean,
        ) =>
          new Promise<{ type: string; value?: unknown; message?: string }>((resolve) => {
            port.addEventListener('message', ({ data }) => isExpected(data) && resolve(data));
          });
        if (host.connection === undefined) {
          const { port1, port2 } = new MessageChannel();
          const synAck = next(port1, ({ type }) => type === 'syn-ack');
          port1.start();
          document
            .querySelector('iframe')
            ?.contentWindow?.postMessage({ cloche: 'syn', versions: [1] }, origin, [port2]);
          await synAck;
          port1.postMessage({ type: 'ack' });
          host.connection = { port: port1, nextId: 1 };
        }
        const { port } = host.connection;
        const id = host.connection.nextId++;
        const answer = next(port, (data) => data.id === id);
        port.postMessage({ type: 'call', id, method, args });
        const { type, value, message } = await answer;
        if (type === 'error') throw new Error(message);
        return value;
      },
      { origin, method, args },
    )) as never;
}
