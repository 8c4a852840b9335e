import assert from 'node:assert/strict';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { openPosterRenderer, type PosterRendererOptions } from '../src/poster/poster-renderer.ts';
import type { ViewerBundle } from '../src/poster/request-handler.ts';
import { openSandbox } from '../src/sandbox/sandbox.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

const VIEWER_DIST = join(import.meta.dirname, '../../viewer/dist');

/** The built viewer, without a Content-Security-Policy. */
export async function readViewerPage(): Promise<ViewerBundle> {
  const template = await readFile(join(VIEWER_DIST, 'framed-document.html'), 'utf8');
  const assets = new Map<string, { contentType: string; identity: Buffer }>();
  for (const name of await readdir(join(VIEWER_DIST, 'assets'))) {
    const identity = await readFile(join(VIEWER_DIST, 'assets', name));
    const contentType = name.endsWith('.js') ? 'text/javascript' : 'application/octet-stream';
    assets.set(name, { contentType, identity });
  }
  const render = (config: ViewerConfig) =>
    template
      .replace(/\{\{#(click|themed)\}\}.*?\{\{\/\1\}\}/gs, '')
      .replaceAll('{{title}}', '')
      .replace('{{rootAttributes}}', '')
      .replace('{{backgroundStyle}}', '')
      .replace('{{inlinePoster}}', '')
      .replace('{{viewerConfig}}', () => JSON.stringify(config).replaceAll('<', '\\u003c'));
  return { render, contentSecurityPolicy: '', assets };
}

/** A page that blocks its main thread and is never ready. */
export const ENDLESS_PAGE: ViewerBundle = {
  render: () => '<!doctype html><html data-state="loading"><script>for (;;);</script>',
  contentSecurityPolicy: "default-src 'unsafe-inline'",
  assets: new Map(),
};

/** The browser of all tests: CLOCHE_CHROMIUM if set. */
export const TEST_BROWSER: PosterRendererOptions['browser'] =
  process.env.CLOCHE_CHROMIUM === undefined
    ? { kind: 'auto' }
    : { kind: 'path', path: process.env.CLOCHE_CHROMIUM };

/** Opens a poster renderer with a real browser and a temporary profile directory. */
export async function openTestPoster(t: TestContext, options: Partial<PosterRendererOptions> = {}) {
  const profileDirectory = await openTemporaryDirectory(t);
  // The browser may have another user.
  await chmod(profileDirectory, 0o711);
  const renderer = await openPosterRenderer({
    browser: TEST_BROWSER,
    viewer: await readViewerPage(),
    profileDirectory,
    isolation: (await openSandbox()).isolation,
    log: { warn: (_, message) => assert.fail(message) },
    // A slow machine takes longer than the service waits.
    timeoutMs: 120_000,
    ...options,
  });
  assert.ok(renderer, 'no browser found');
  t.after(() => renderer[Symbol.asyncDispose]());
  const modelDirectory = await openTemporaryDirectory(t);
  let count = 0;
  /** Renders the poster of a GLB. */
  const capture = async (
    glb: Uint8Array,
    signal = new AbortController().signal,
    viewerOptions: ViewerOptions = {},
  ) => {
    count += 1;
    const model = join(modelDirectory, `${count}.glb`);
    await writeFile(model, glb);
    return renderer.render({ model, stats: EMPTY_STATS, options: viewerOptions, signal });
  };
  return { renderer, profileDirectory, capture };
}

/** Statistics of a model, which a poster needs only for the bounds. */
export const EMPTY_STATS = {
  ...{ bytes: 0, triangles: 0, vertices: 0, nodes: 0, meshes: 0 },
  ...{ materials: 0, textures: 0, animations: 0, variants: 0, extensions: [] },
};
