/// <reference path="../pipeline/src/formats/occt/occt-import-js.d.ts" />
/// <reference path="../pipeline/src/formats/assimp/assimpjs.d.ts" />
import type { TestContext } from 'node:test';
import { CONTACT_SHADOW_MEMBER } from '@cloche/contract/contact-shadow';
import { FRAMING_POINTS_MEMBER } from '@cloche/contract/framing-points';
import { importFile } from '@cloche/pipeline/testing/formats/import-file';
import type { WebIO } from '@gltf-transform/core';
import { readScreenPixels } from '../viewer/testing/embedded-viewer.ts';
import { openViewerServer } from '../viewer/testing/test-server.ts';
import type { RoundTripCase } from './round-trip-cases.ts';
import type { SharedBrowser } from './shared-chromium.ts';
import type { RgbImage } from './ssim.ts';

/** Minimum similarity of two screenshots of one design. */
export const MIN_SSIM = 0.98;

/** Imports a file without optimizing it, as a GLB. */
export async function importUnoptimized(
  io: WebIO,
  { bytes, format, mainPath }: RoundTripCase,
): Promise<Buffer> {
  const { document } = await importFile(bytes, format, mainPath);
  return Buffer.from(await io.writeBinary(document));
}

/** Takes a screenshot of a model in poster mode: no controls, default view, and neither shadow nor framing points, as in source files. */
export async function captureModel(
  t: TestContext,
  browser: SharedBrowser,
  model: Buffer,
): Promise<RgbImage> {
  const server = await openViewerServer({
    model: hideExtras(model),
    config: { posterMode: true },
  });
  t.after(() => server[Symbol.asyncDispose]());
  const viewport = { width: 240, height: 180 };
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  await page.goto(server.frameUrl);
  await page.waitForFunction(() => document.documentElement.dataset.state !== 'loading');
  const state = await page.evaluate(() => document.documentElement.dataset.state);
  if (state !== 'ready') throw new Error(`The viewer is in state ${state}.`);
  const { data, width } = await readScreenPixels(page);
  await page.close();
  return { data, width, height: data.length / 3 / width };
}

/** Renames the members with the shadow and the framing points, which keeps the lengths in the GLB. */
function hideExtras(glb: Buffer): Buffer {
  const copy = Buffer.from(glb);
  for (const name of [CONTACT_SHADOW_MEMBER, FRAMING_POINTS_MEMBER]) {
    const index = glb.indexOf(name);
    if (index >= 0) copy.fill('-', index, index + name.length);
  }
  return copy;
}
