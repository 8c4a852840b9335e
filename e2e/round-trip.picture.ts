/// <reference path="../server/src/pipeline/import/untyped.d.ts" />
import type { TestContext } from 'node:test';
import type { WebIO } from '@gltf-transform/core';
import type { Browser } from 'playwright-core';
import type { Picture } from '../bench/optimize/ssim.ts';
import { importFile } from '../server/testing/formats/import-file.ts';
import { openServer } from '../viewer/testing/serve.ts';
import { readPixels } from '../viewer/testing/stage.ts';
import type { Row } from './round-trip.formats.ts';

/** How alike two pictures of one design must be. */
export const LEAST = 0.98;

/** What the importer reads in a file, before anything is done to it. */
export async function readUntouched(io: WebIO, { bytes, format, main }: Row): Promise<Buffer> {
  const { document } = await importFile(bytes, format, main);
  return Buffer.from(await io.writeBinary(document));
}

/** The first frame in the viewer, and nothing over it. */
export async function photograph(
  t: TestContext,
  browser: Browser,
  model: Buffer,
): Promise<Picture> {
  const server = await openServer({ model, framed: { still: true } });
  t.after(() => server[Symbol.asyncDispose]());
  const viewport = { width: 240, height: 180 };
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  await page.goto(server.frameUrl);
  await page.waitForFunction(() => document.documentElement.dataset.state !== 'loading');
  const state = await page.evaluate(() => document.documentElement.dataset.state);
  if (state !== 'ready') throw new Error(`The picture is of a page that is ${state}.`);
  const { data, width } = await readPixels(page);
  await page.close();
  return { data, width, height: data.length / 3 / width };
}

/** Does the work for all, so many at a time; answers in their order. */
export async function inLanes<T, R>(
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
