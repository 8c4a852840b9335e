import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Framed } from '@cloche/contract/framed';
import type { Frame, Page, Route } from 'playwright-core';
import { atRest, eventually, isGreen, readPixels } from '../viewer/testing/stage.ts';
import { openChromium } from './chromium.ts';
import { Owner } from './owner.ts';
import { type Dot, farthest, outlineOf } from './preview.outline.ts';
import { RealService } from './real-service.ts';
import { makeRough } from './round-trip.models.ts';
import { Sites } from './sites.ts';

const MOST_PIXELS = 2;

describe('a preview, made of an upload by the real service', () => {
  it('comes first, and has the outline of the model that takes its place', async (t) => {
    const service = await RealService.open(t);
    const owner = await Owner.of(service);
    const { view, text } = await owner.send(makeRough());
    assert.equal(view.status, 'ready', text);
    const framed = await owner.framed(view.id);
    await checkSizes(owner, framed, view.report?.previewBytes);

    const sites = await Sites.open(t);
    const { url } = await owner.visit(view.id, sites.originOf('shop.test'));
    const html = `<style>body{margin:0}</style><iframe src="${url}" width="480" height="360" style="border:0;display:block"></iframe>`;
    const browser = await openChromium();
    t.after(() => browser.close());
    const page = await browser.newPage({
      viewport: { width: 480, height: 360 },
      reducedMotion: 'reduce',
    });
    const line = await holdFiles(page, framed);
    await page.goto(sites.add('shop.test', '/', html));

    await eventually('the preview is asked for', async () => line.asked.length > 0);
    // The viewer's script has run; long enough to ask for more, if it would.
    await page.waitForTimeout(500);
    assert.deepEqual(line.asked, ['preview'], 'before the preview was answered');
    line.letGo('preview');
    const before = await outlineAt(page, 'preview');
    assert.deepEqual(line.asked, ['preview', 'model'], 'once the preview was there');
    line.letGo('model');
    const after = await outlineAt(page, 'ready');
    assert.deepEqual(line.asked, ['preview', 'model'], 'in the end');

    assert.ok(before.length > 500, `an outline of ${before.length} pixels`);
    const apart = Math.max(farthest(before, after), farthest(after, before));
    t.diagnostic(`${before.length} pixels of outline, ${apart.toFixed(1)} apart at most`);
    assert.ok(apart <= MOST_PIXELS, `${apart} pixels`);
  });
});

async function checkSizes(owner: Owner, framed: Framed, reported: number | undefined) {
  const { preview } = framed;
  assert.ok(preview, 'there is no preview');
  assert.ok(framed.model.bytes > 150_000, `${framed.model.bytes} bytes`);
  const bytes = (await owner.artifact(framed, preview.url)).length;
  assert.ok(bytes > 0 && bytes <= 100_000, `${bytes} bytes`);
  assert.deepEqual([preview.bytes, reported], [bytes, bytes]);
}

/** Holds the files of the design back until they are let go; tells which were asked for. */
async function holdFiles(page: Page, { model, preview }: Framed) {
  const asked: string[] = [];
  const gates = { preview: Promise.withResolvers<void>(), model: Promise.withResolvers<void>() };
  const hold = async (name: 'preview' | 'model', path: string) => {
    await page.route(`**${path}`, async (route: Route) => {
      asked.push(name);
      await gates[name].promise;
      await route.continue();
    });
  };
  await hold('preview', preview?.url ?? '');
  await hold('model', model.url);
  return { asked, letGo: (name: 'preview' | 'model') => gates[name].resolve() };
}

/** What is seen of the design when the frame has come to that state, and stands still. */
async function outlineAt(page: Page, state: 'preview' | 'ready'): Promise<Dot[]> {
  const frame = page.frames()[1] as Frame;
  await frame.waitForSelector(`html[data-state="${state}"]`);
  await frame.evaluate(() => {
    for (const over of document.querySelectorAll('main > :not(#view), #view > :not(canvas)')) {
      (over as HTMLElement).style.visibility = 'hidden';
    }
  });
  await atRest(page);
  return outlineOf(await readPixels(page), isGreen);
}
