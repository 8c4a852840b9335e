import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { openPosterRenderer, type PosterRendererOptions } from '../src/poster/poster-renderer.ts';
import type { ViewerBundle } from '../src/poster/request-handler.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

const VIEWER_DIST = join(import.meta.dirname, '../../viewer/dist');

/** The built viewer, without a Content-Security-Policy. */
export async function readViewerPage(): Promise<ViewerBundle> {
  const template = await readFile(join(VIEWER_DIST, 'page.html'), 'utf8');
  const assets = new Map<string, { contentType: string; identity: Buffer }>();
  for (const name of await readdir(join(VIEWER_DIST, 'assets'))) {
    const identity = await readFile(join(VIEWER_DIST, 'assets', name));
    const contentType = name.endsWith('.js') ? 'text/javascript' : 'application/octet-stream';
    assets.set(name, { contentType, identity });
  }
  const render = (config: ViewerConfig) =>
    template
      .replace('{{title}}', '')
      .replace('{{framed}}', () => JSON.stringify(config).replaceAll('<', '\\u003c'));
  return { render, contentSecurityPolicy: '', assets };
}

/** A page that keeps its one thread to itself, and is never ready. */
export const ENDLESS_PAGE: ViewerBundle = {
  render: () => '<!doctype html><html data-state="loading"><script>for (;;);</script>',
  contentSecurityPolicy: "default-src 'unsafe-inline'",
  assets: new Map(),
};

/** The browser that other tests use, too. */
export const TEST_BROWSER: PosterRendererOptions['browser'] =
  process.env.CLOCHE_CHROMIUM === undefined
    ? { kind: 'found' }
    : { kind: 'named', path: process.env.CLOCHE_CHROMIUM };

/** A poster with a real browser, in a folder of the test's own. */
export async function openTestPoster(t: TestContext, wishes: Partial<PosterRendererOptions> = {}) {
  const profileDirectory = await openTemporaryDirectory(t);
  const poster = await openPosterRenderer({
    browser: TEST_BROWSER,
    viewer: await readViewerPage(),
    profileDirectory,
    log: { warn: (_, message) => assert.fail(message) },
    ...wishes,
  });
  assert.ok(poster, 'no browser is here');
  t.after(() => poster[Symbol.asyncDispose]());
  const files = await openTemporaryDirectory(t);
  let count = 0;
  /** The picture of a GLB. */
  const take = async (glb: Uint8Array, signal = new AbortController().signal) => {
    count += 1;
    const model = join(files, `${count}.glb`);
    await writeFile(model, glb);
    return poster.render({ model, stats: EMPTY_STATS, signal });
  };
  return { poster, profileDirectory, take };
}

const EMPTY_STATS = {
  ...{ bytes: 0, triangles: 0, vertices: 0, nodes: 0, meshes: 0 },
  ...{ materials: 0, textures: 0, animations: 0, variants: 0, extensions: [] },
};
