import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readTemplate } from '../src/embed/template.ts';
import { readViewerFiles } from '../src/embed/viewer-files.ts';
import type { ViewerPage } from '../src/pipeline/poster/site.ts';
import { openPoster, type PosterOptions } from '../src/pipeline/poster.ts';
import { openFolder } from './ground.ts';

/** The viewer as it is built. */
export async function readViewer(): Promise<ViewerPage> {
  const viewer = await readViewerFiles(join(import.meta.dirname, '../../viewer/dist'));
  return { ...readTemplate(viewer), assets: viewer.assets };
}

/** A page that keeps its one thread to itself, and is never ready. */
export const ENDLESS: ViewerPage = {
  fill: () => '<!doctype html><html data-state="loading"><script>for (;;);</script>',
  policy: "default-src 'unsafe-inline'",
  assets: new Map(),
};

/** The browser that other tests use, too. */
export const BROWSER: PosterOptions['browser'] =
  process.env.CLOCHE_CHROMIUM === undefined
    ? { kind: 'found' }
    : { kind: 'named', path: process.env.CLOCHE_CHROMIUM };

/** A poster with a real browser, in a folder of the test's own. */
export async function openTestPoster(t: TestContext, wishes: Partial<PosterOptions> = {}) {
  const folder = await openFolder(t);
  const poster = await openPoster({
    browser: BROWSER,
    viewer: await readViewer(),
    folder,
    log: { warn: (_, message) => assert.fail(message) },
    ...wishes,
  });
  assert.ok(poster, 'no browser is here');
  t.after(() => poster[Symbol.asyncDispose]());
  const files = await openFolder(t);
  let count = 0;
  /** The picture of a GLB. */
  const take = async (glb: Uint8Array, signal = new AbortController().signal) => {
    count += 1;
    const model = join(files, `${count}.glb`);
    await writeFile(model, glb);
    return poster.take({ model, stats: STATS, signal });
  };
  return { poster, folder, take };
}

const STATS = {
  ...{ bytes: 0, triangles: 0, vertices: 0, nodes: 0, meshes: 0 },
  ...{ materials: 0, textures: 0, animations: 0, variants: 0, extensions: [] },
};
