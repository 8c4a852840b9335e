import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EVENT_NAMES, METHOD_NAMES } from '@cloche/contract/message';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import type {} from '../sdk/testing/page-globals.d.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { clickAtOnce } from '../viewer/testing/embedded-viewer.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';
import { VIEWER_API_CASES } from './viewer-api-cases.ts';

const DOCUMENT = join(import.meta.dirname, '../docs/viewer-api.md');

declare global {
  interface Window {
    /** The members of the handle that were used. */
    used: Set<string>;
    /** The details of the last event of each name. */
    events: Record<string, unknown>;
  }
}

describe('docs/viewer-api.md', () => {
  const documented = readDocumentedNames(readFileSync(DOCUMENT, 'utf8'));
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('lists the methods and events of the contract', () => {
    assert.deepEqual(documented.methods, METHOD_NAMES);
    assert.deepEqual(documented.events, EVENT_NAMES);
  });

  it('each method and event works in a page, and no other is used', async (t) => {
    const model = createAnimatedBoxGlb({ animations: ['Spin', 'Turn'], variants: ['Pink'] });
    const { sites, origin, html } = await openEmbeddedDesign(t, { model });
    const style = '<style>iframe{width:400px!important;height:300px}</style>';
    const script = `<script src="${origin}/sdk/v1/cloche.js"></script>`;
    const start = `<script>(${createHandle})(${JSON.stringify(EVENT_NAMES)})</script>`;
    const button = '<button onclick="handle.enterFullscreen()">Full screen</button>';
    const url = sites.addPage('shop.test', '/', style + script + html + start + button);
    const other = sites.addPage('other.test', '/', style + script + html + start);
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    t.after(() => context.close());
    await context.addInitScript(extendTimeLimits);
    const page = await context.newPage();

    // A page that is not listed: the event `error`.
    await page.goto(other);
    const error = await waitForEvent(page, 'error');
    assert.equal((error as { code: string }).code, 'embed.origin');
    const events = new Set(['error']);

    // The viewer connects after its first frame, or after a while: the model waits for that.
    await page.route('**/embed/assets/*.glb', async (route) => {
      await page.evaluate(() => window.handle.ready);
      await route.continue();
    });
    await page.goto(url);
    const used = new Set<string>();
    for (const { name, run, expected } of VIEWER_API_CASES) {
      const result = await page.evaluate(run);
      if (expected === undefined) assert.ok(result, `${name}: ${JSON.stringify(result)}`);
      else assert.deepEqual(result, expected, name);
    }
    await page.locator('iframe').scrollIntoViewIfNeeded();
    const box = (await page.locator('iframe').boundingBox()) ?? assert.fail();
    await clickAtOnce(page, { x: box.x + 200, y: box.y + 150 });
    const pick = await waitForEvent(page, 'pick');
    assert.equal(typeof (pick as { part: { id: number } }).part.id, 'number');
    await page.locator('button').click();
    await page.waitForFunction(() => document.fullscreenElement !== null);
    await page.evaluate(() => window.handle.exitFullscreen());
    assert.equal(await page.evaluate(() => document.fullscreenElement), null);

    for (const name of await page.evaluate(() => [...window.used])) used.add(name);
    for (const name of await page.evaluate(() => Object.keys(window.events))) events.add(name);
    await page.evaluate(() => window.handle.destroy());
    used.add('destroy');
    const names = [...documented.members, ...documented.methods];
    assert.deepEqual([...used].sort(), names.sort());
    assert.deepEqual([...events].sort(), documented.events.toSorted());
  });
});

/** Creates the handle of the snippet, and records what is used of it and which events it has. Runs in the page. */
function createHandle(eventNames: typeof EVENT_NAMES): void {
  window.events = {};
  window.used = new Set();
  const handle = Cloche.createViewer(document.querySelector('iframe'));
  window.handle = new Proxy(handle, {
    get(target, name, receiver) {
      window.used.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
  for (const name of eventNames) {
    handle.on(name, (detail) => {
      window.events[name] = detail;
    });
  }
}

async function waitForEvent(page: Page, name: string): Promise<unknown> {
  const read = () => page.evaluate((name) => window.events[name], name);
  return waitUntil(`the event ${name}`, async () => (await read()) ?? undefined);
}

/** The headings below `## Handle` and `## Methods`, and the first column of the table below `## Events`. */
function readDocumentedNames(text: string) {
  const sections = new Map(
    text.split(/^## /m).map((section): [string, string] => [section.split('\n')[0] ?? '', section]),
  );
  const listNames = (section: string, pattern: RegExp) =>
    [...(sections.get(section) ?? '').matchAll(pattern)].map(([, name = '']) => name);
  return {
    members: listNames('Handle', /^### (\w+)$/gm),
    methods: listNames('Methods', /^### (\w+)$/gm),
    events: listNames('Events', /^\| `([\w-]+)` \|/gm),
  };
}
