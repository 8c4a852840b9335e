/// <reference path="../pipeline/src/formats/occt/occt-import-js.d.ts" />
/// <reference path="../pipeline/src/formats/assimp/assimpjs.d.ts" />
import type { TestContext } from 'node:test';
import { importFile } from '@cloche/pipeline/testing/formats/import-file';
import type { WebIO } from '@gltf-transform/core';
import type { Browser } from 'playwright-core';
import type { RgbImage } from '../bench/optimize/ssim.ts';
import { readScreenPixels } from '../viewer/testing/embedded-viewer.ts';
import { openViewerServer } from '../viewer/testing/test-server.ts';
import type { RoundTripCase } from './round-trip-cases.ts';

/** How alike two pictures of one design must be. */
export const MIN_SSIM = 0.98;

/** What the importer reads in a file, before anything is done to it. */
export async function importUnoptimized(
  io: WebIO,
  { bytes, format, mainPath }: RoundTripCase,
): Promise<Buffer> {
  const { document } = await importFile(bytes, format, mainPath);
  return Buffer.from(await io.writeBinary(document));
}

/** The first frame in the viewer, and nothing over it. */
export async function captureModel(
  t: TestContext,
  browser: Browser,
  model: Buffer,
): Promise<RgbImage> {
  const server = await openViewerServer({ model, config: { posterMode: true } });
  t.after(() => server[Symbol.asyncDispose]());
  const viewport = { width: 240, height: 180 };
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  await page.goto(server.frameUrl);
  await page.waitForFunction(() => document.documentElement.dataset.state !== 'loading');
  const state = await page.evaluate(() => document.documentElement.dataset.state);
  if (state !== 'ready') throw new Error(`The picture is of a page that is ${state}.`);
  const { data, width } = await readScreenPixels(page);
  await page.close();
  return { data, width, height: data.length / 3 / width };
}

/** Does the work for all, so many at a time; answers in their order. */
export async function mapConcurrently<T, R>(
  lanes: number,
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const rest = all.entries();
  const lane = async () => {
    for (const [at, one] of rest) results[at] = await work(one);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
