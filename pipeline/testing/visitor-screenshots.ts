import type { TestContext } from 'node:test';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { openBrowserPage } from '../src/poster/browser-page.ts';
import { findBrowsers } from '../src/poster/find-browsers.ts';
import { launchBrowser } from '../src/poster/launch-browser.ts';
import {
  createRequestHandler,
  POSTER_ORIGIN,
  type PosterRequestHandler,
} from '../src/poster/request-handler.ts';
import { openSandbox } from '../src/sandbox/sandbox.ts';
import { readViewerPage } from './poster.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

const HOST_PAGE_URL = `${POSTER_ORIGIN}/host`;

/**
 * Captures what a visitor sees in a frame of this size, with and without the model, as soon as two
 * screenshots in a row are equal.
 */
export async function captureVisitorView(
  t: TestContext,
  glb: Buffer,
  size: { width: number; height: number },
  options: ViewerOptions = {},
) {
  const browsers = await findBrowsers(process.env.CLOCHE_CHROMIUM);
  const browser = await launchBrowser(browsers, {
    directory: await openTemporaryDirectory(t),
    isolation: (await openSandbox()).isolation,
  });
  t.after(() => browser[Symbol.asyncDispose]());
  const page = await openBrowserPage(browser.cdp, await openHostPage(glb, options));
  const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
  const features = [{ name: 'prefers-color-scheme', value: 'light' }];
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
  await page.send('Emulation.setEmulatedMedia', { features });
  await page.send('Page.navigate', { url: HOST_PAGE_URL });
  const captureScreenshot = async () => {
    const { data } = await page.send<{ data: string }>('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  };

  await page.evaluate(WAIT_UNTIL_INTERACTIVE);
  let withModel = await captureScreenshot();
  for (let previous: Buffer | undefined; previous?.equals(withModel) !== true; ) {
    previous = withModel;
    withModel = await captureScreenshot();
  }
  await page.evaluate("frames[0].document.querySelector('canvas').style.visibility = 'hidden'");
  return { withModel, withoutModel: await captureScreenshot() };
}

/** Serves a host page with a frame that fills it and shows the model. */
async function openHostPage(glb: Buffer, options: ViewerOptions): Promise<PosterRequestHandler> {
  const viewer = await readViewerPage();
  const handleViewerRequest = createRequestHandler(
    {
      ...viewer,
      render: (config) =>
        viewer.render({ ...config, posterMode: false, allowedOrigins: [POSTER_ORIGIN] }),
    },
    { glb },
    { options },
  );
  const html = `<!doctype html><html><style>* { margin: 0; border: 0 }
    iframe { display: block; width: 100vw; height: 100vh }</style><iframe src="/"></iframe>`;
  return (url) =>
    url === HOST_PAGE_URL
      ? { body: Buffer.from(html), headers: { 'content-type': 'text/html' } }
      : handleViewerRequest(url);
}

// Also hides everything except the design, such as buttons and hints.
const WAIT_UNTIL_INTERACTIVE = `(async () => {
  const root = () => frames[0]?.document.documentElement;
  while (root()?.dataset.interactive === undefined) await new Promise(requestAnimationFrame);
  for (const element of root().querySelectorAll('main > :not(#view)')) {
    element.style.display = 'none';
  }
})()`;
