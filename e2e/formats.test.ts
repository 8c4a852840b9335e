import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import type { WebIO } from '@gltf-transform/core';
import { mapConcurrently } from '../scripts/map-concurrently.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { findPixels, isGreen } from '../viewer/testing/embedded-viewer.ts';
import { ApiClient } from './api-client.ts';
import { assertModel, assertReport } from './round-trip-assertions.ts';
import { ROUND_TRIP_CASES, type RoundTripCase } from './round-trip-cases.ts';
import { captureModel, importUnoptimized, MIN_SSIM } from './round-trip-screenshot.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';
import { ssim } from './ssim.ts';
import { TestSites } from './test-sites.ts';

describe('every format, uploaded to the service', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('becomes a model of the right size in meters, and looks like the imported file', async (t) => {
    const service = await ServiceProcess.open(t);
    const client = await ApiClient.create(service);
    const io = await createGltfIo();
    const designs = new Map<string, string>();
    const models = new Map<RoundTripCase, Buffer>();
    await Promise.all(
      ROUND_TRIP_CASES.map(async (row) => {
        const { status, text, body } = await client.upload(row.bytes);
        assert.equal(status, 201, `${row.name}: ${text}`);
        designs.set(row.name, body.id);
        const { design, model } = await waitForModel(client, body.id, row);
        assertReport(design, row, model);
        await assertModel(io, model, row);
        models.set(row, model);
      }),
    );
    await compareScreenshots({ t, io, browser }, models);
    await assertShownOnScreen(t, browser, client, designs.get('STEP') ?? '');
  });
});

/** Waits for the model; asserts that the API and the viewer config have the right size. */
async function waitForModel(client: ApiClient, id: string, row: RoundTripCase) {
  const { name, format, triangles = 12 } = row;
  const design = await client.waitUntilSettled(id);
  const { status, problem, stats, report } = design;
  assert.equal(status, 'ready', `${name}: ${problem?.detail}`);
  assert.deepEqual([report?.format, stats?.triangles], [format, triangles], name);
  const size = Math.max(...row.max.map((value, axis) => value - (row.min[axis] ?? 0)));
  for (const end of ['min', 'max'] as const) {
    for (const [axis, value] of row[end].entries()) {
      const actual = stats?.bounds?.[end][axis] ?? Number.NaN;
      assert.ok(Math.abs(actual - value) < size / 1000, `${name}: ${end} ${axis} is ${actual}`);
    }
  }
  const config = await client.getViewerConfig(id);
  assert.deepEqual(config.model.bounds, stats?.bounds, name);
  const model = await client.getArtifact(config);
  assert.equal(model.toString('latin1', 0, 4), 'glTF', name);
  assert.equal(model.length, stats?.bytes, name);
  return { design, model };
}

type ComparisonDependencies = { t: TestContext; io: WebIO; browser: SharedBrowser };

/** Asserts that each design looks like its imported file and unlike the next design. */
async function compareScreenshots(
  { t, io, browser }: ComparisonDependencies,
  models: Map<RoundTripCase, Buffer>,
) {
  const rows = ROUND_TRIP_CASES.filter(({ comparesScreenshot }) => comparesScreenshot);
  const originals = await mapConcurrently(rows, 2, async (row) => {
    const original = await captureModel(t, browser, await importUnoptimized(io, row));
    const optimized = await captureModel(t, browser, models.get(row) ?? Buffer.alloc(0));
    const similarity = ssim(original, optimized);
    t.diagnostic(`${row.name}: SSIM ${similarity.toFixed(4)}`);
    assert.ok(similarity >= MIN_SSIM, `${row.name}: ${similarity}`);
    return original;
  });
  for (const [index, image] of originals.entries()) {
    const nextIndex = (index + 1) % originals.length;
    const nextImage = originals[nextIndex] ?? image;
    const message = `${rows[index]?.name} looks like ${rows[nextIndex]?.name}`;
    assert.ok(ssim(image, nextImage) < MIN_SSIM, message);
  }
}

/** Asserts that a page shows the green cube of the STEP file. */
async function assertShownOnScreen(
  t: TestContext,
  browser: SharedBrowser,
  client: ApiClient,
  id: string,
) {
  const sites = await TestSites.open(t);
  const { url } = await client.createDocumentRequest(id, sites.getOrigin('shop.test'));
  const frame = `<iframe src="${url}" width="440" height="360" style="border:0"></iframe>`;
  const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
  await page.goto(sites.addPage('shop.test', '/', frame));
  await page.frames()[1]?.waitForSelector('html[data-state="ready"]');
  // The first frame may be rendered before it is on the screen.
  await waitUntil('5000 green pixels', async () => {
    const { count, left, right, top, bottom } = await findPixels(page, isGreen);
    return count > 5000 && right - left > 80 && bottom - top > 80;
  });
}
