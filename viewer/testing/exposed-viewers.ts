import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import type { BrowserContextOptions, Frame } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { writeDist } from '../build/write-dist.ts';
import { type EmbeddedViewer, openEmbeddedViewer, POLL_BY_TIMER } from './embedded-viewer.ts';
// The type of `globalThis.exposedViewer`.
import type {} from './exposed-viewer.ts';
import type { ViewerServerOptions } from './test-server.ts';

type OpenExposedViewer = (
  t: TestContext,
  served: ViewerServerOptions,
  options?: BrowserContextOptions & { script?: () => void },
) => Promise<EmbeddedViewer>;

/**
 * Before the tests of a suite, builds the viewer with the entry script exposed-viewer.ts and starts the browser. Returns a function
 * that opens this viewer as `openEmbeddedViewer` does.
 */
export function prepareExposedViewers(): OpenExposedViewer {
  let browser: SharedBrowser;
  let dist: string;
  before(async () => {
    dist = await mkdtemp(join(tmpdir(), 'cloche-viewer-'));
    await writeDist(dist, 'testing/exposed-viewer.ts');
    browser = await openSharedChromium();
  });
  after(async () => {
    await browser.close();
    await rm(dist, { recursive: true });
  });
  return (t, served, options) => openEmbeddedViewer(t, browser, { dist, ...served }, options);
}

/** Waits until the viewer knows that its frame is out of view. */
export async function waitUntilOutOfView(frame: Frame): Promise<void> {
  await frame.waitForFunction(
    () => globalThis.clochePageMember1?.inView === false,
    undefined,
    POLL_BY_TIMER,
  );
}
