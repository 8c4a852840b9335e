import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import type { WebIO } from '@gltf-transform/core';
import type { Browser } from 'playwright-core';
import { ssim } from '../bench/optimize/ssim.ts';
import { findPixels, isGreen } from '../viewer/testing/embedded-viewer.ts';
import { ApiClient } from './api-client.ts';
import { openChromium } from './chromium.ts';
import { assertModel, assertReport } from './round-trip-assertions.ts';
import { ROUND_TRIP_CASES, type RoundTripCase } from './round-trip-cases.ts';
import {
  captureModel,
  importUnoptimized,
  MIN_SSIM,
  mapConcurrently,
} from './round-trip-screenshot.ts';
import { ServiceProcess } from './service-process.ts';
import { TestSites } from './sites.ts';

describe('every format, sent to the real service', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('becomes a model of its size, in metres, that looks as it was read', async (t) => {
    const service = await ServiceProcess.open(t);
    const owner = await ApiClient.create(service);
    const io = await createGltfIo();
    const designs = new Map<string, string>();
    const models = new Map<RoundTripCase, Buffer>();
    await Promise.all(
      ROUND_TRIP_CASES.map(async (row) => {
        const { status, text, body } = await owner.upload(row.bytes);
        assert.equal(status, 201, `${row.name}: ${text}`);
        designs.set(row.name, body.id);
        const { design, model } = await waitForModel(owner, body.id, row);
        assertReport(design, row, model);
        await assertModel(io, model, row);
        models.set(row, model);
      }),
    );
    await compareScreenshots({ t, io, browser }, models);
    await assertShownOnScreen(t, browser, owner, designs.get('STEP') ?? '');
  });
});

/** Waits for the model; it has its size, as the API and the frame tell it. */
async function waitForModel(owner: ApiClient, id: string, row: RoundTripCase) {
  const { name, format, triangles = 12 } = row;
  const design = await owner.waitUntilSettled(id);
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
  const framed = await owner.getViewerConfig(id);
  assert.deepEqual(framed.model.bounds, stats?.bounds, name);
  const model = await owner.getArtifact(framed);
  assert.equal(model.toString('latin1', 0, 4), 'glTF', name);
  assert.equal(model.length, stats?.bytes, name);
  return { design, model };
}

type ComparisonDependencies = { t: TestContext; io: WebIO; browser: Browser };

/** Each design looks as its importer read it, and like no other design. */
async function compareScreenshots(
  { t, io, browser }: ComparisonDependencies,
  models: Map<RoundTripCase, Buffer>,
) {
  const rows = ROUND_TRIP_CASES.filter(({ comparesScreenshot }) => comparesScreenshot);
  const originals = await mapConcurrently(2, rows, async (row) => {
    const original = await captureModel(t, browser, await importUnoptimized(io, row));
    const made = await captureModel(t, browser, models.get(row) ?? Buffer.alloc(0));
    const alike = ssim(original, made);
    t.diagnostic(`${row.name}: SSIM ${alike.toFixed(4)}`);
    assert.ok(alike >= MIN_SSIM, `${row.name}: ${alike}`);
    return original;
  });
  for (const [at, one] of originals.entries()) {
    const next = (at + 1) % originals.length;
    const other = originals[next] ?? one;
    assert.ok(ssim(one, other) < MIN_SSIM, `${rows[at]?.name} looks like ${rows[next]?.name}`);
  }
}

/** What a visitor sees of a green cube, from STEP. */
async function assertShownOnScreen(t: TestContext, browser: Browser, owner: ApiClient, id: string) {
  const sites = await TestSites.open(t);
  const { url } = await owner.createDocumentRequest(id, sites.getOrigin('shop.test'));
  const frame = `<iframe src="${url}" width="440" height="360" style="border:0"></iframe>`;
  const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
  await page.goto(sites.addPage('shop.test', '/', frame));
  await page.frames()[1]?.waitForSelector('html[data-state="ready"]');
  // The first picture may be drawn and not yet on the screen.
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { count, left, right, top, bottom } = await findPixels(page, isGreen);
    if (count > 5000 && right - left > 80 && bottom - top > 80) return;
    assert.ok(Date.now() < deadline, `${count} green pixels`);
    await page.waitForTimeout(200);
  }
}

const TIMEOUT_MS = 30_000;
