import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { WebIO } from '@gltf-transform/core';
import type { Browser } from 'playwright-core';
import { ssim } from '../bench/optimize/ssim.ts';
import { openIo } from '../server/src/pipeline/io.ts';
import { findPixels, isGreen } from '../viewer/testing/stage.ts';
import { openChromium } from './chromium.ts';
import { Owner } from './owner.ts';
import { RealService } from './real-service.ts';
import { checkModel, checkReport } from './round-trip.check.ts';
import { ROWS, type Row } from './round-trip.formats.ts';
import { inLanes, LEAST, photograph, readUntouched } from './round-trip.picture.ts';
import { Sites } from './sites.ts';

describe('every format, sent to the real service', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('becomes a model of its size, in metres, that looks as it was read', async (t) => {
    const service = await RealService.open(t);
    const owner = await Owner.of(service);
    const io = await openIo();
    const designs = new Map<string, string>();
    const models = new Map<Row, Buffer>();
    await Promise.all(
      ROWS.map(async (row) => {
        const { status, text, view } = await owner.send(row.bytes);
        assert.equal(status, 201, `${row.name}: ${text}`);
        designs.set(row.name, view.id);
        const { design, model } = await settle(owner, view.id, row);
        checkReport(design, row, model);
        await checkModel(io, model, row);
        models.set(row, model);
      }),
    );
    await comparePictures({ t, io, browser }, models);
    await checkOnScreen(t, browser, owner, designs.get('STEP') ?? '');
  });
});

/** Waits for the model; it has its size, as the API and the frame tell it. */
async function settle(owner: Owner, id: string, row: Row) {
  const { name, format, triangles = 12 } = row;
  const design = await owner.settled(id);
  const { status, problem, stats, report } = design;
  assert.equal(status, 'ready', `${name}: ${problem?.detail}`);
  assert.deepEqual([report?.format, stats?.triangles], [format, triangles], name);
  const size = Math.max(...row.max.map((value, axis) => value - (row.min[axis] ?? 0)));
  for (const end of ['min', 'max'] as const) {
    for (const [axis, value] of row[end].entries()) {
      const found = stats?.bounds?.[end][axis] ?? Number.NaN;
      assert.ok(Math.abs(found - value) < size / 1000, `${name}: ${end} ${axis} is ${found}`);
    }
  }
  const framed = await owner.framed(id);
  assert.deepEqual(framed.model.bounds, stats?.bounds, name);
  const model = await owner.artifact(framed);
  assert.equal(model.toString('latin1', 0, 4), 'glTF', name);
  assert.equal(model.length, stats?.bytes, name);
  return { design, model };
}

type Means = { t: TestContext; io: WebIO; browser: Browser };

/** Each design looks as its importer read it, and like no other design. */
async function comparePictures({ t, io, browser }: Means, models: Map<Row, Buffer>) {
  const rows = ROWS.filter(({ pictured }) => pictured);
  const originals = await inLanes(2, rows, async (row) => {
    const original = await photograph(t, browser, await readUntouched(io, row));
    const made = await photograph(t, browser, models.get(row) ?? Buffer.alloc(0));
    const alike = ssim(original, made);
    t.diagnostic(`${row.name}: SSIM ${alike.toFixed(4)}`);
    assert.ok(alike >= LEAST, `${row.name}: ${alike}`);
    return original;
  });
  for (const [at, one] of originals.entries()) {
    const next = (at + 1) % originals.length;
    const other = originals[next] ?? one;
    assert.ok(ssim(one, other) < LEAST, `${rows[at]?.name} looks like ${rows[next]?.name}`);
  }
}

/** What a visitor sees of a green cube, from STEP. */
async function checkOnScreen(t: TestContext, browser: Browser, owner: Owner, id: string) {
  const sites = await Sites.open(t);
  const { url } = await owner.visit(id, sites.originOf('shop.test'));
  const frame = `<iframe src="${url}" width="440" height="360" style="border:0"></iframe>`;
  const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
  await page.goto(sites.add('shop.test', '/', frame));
  await page.frames()[1]?.waitForSelector('html[data-state="ready"]');
  // The first picture may be drawn and not yet on the screen.
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { count, left, right, top, bottom } = await findPixels(page, isGreen);
    if (count > 5000 && right - left > 80 && bottom - top > 80) return;
    assert.ok(Date.now() < deadline, `${count} green pixels`);
    await page.waitForTimeout(200);
  }
}

const PATIENCE_MS = 30_000;
