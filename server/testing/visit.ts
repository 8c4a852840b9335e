import type { TestContext } from 'node:test';
import { launchBrowser } from '../src/pipeline/poster/launch.ts';
import { openPage } from '../src/pipeline/poster/page.ts';
import { findPrograms } from '../src/pipeline/poster/programs.ts';
import { ORIGIN, openSite, type Site } from '../src/pipeline/poster/site.ts';
import { openFolder } from './ground.ts';
import { readViewer } from './poster.ts';

const HOST = `${ORIGIN}/host`;

/** What a visitor sees of a model in a frame of this size, at rest; and the frame without the model. */
export async function visit(t: TestContext, glb: Buffer, size: { width: number; height: number }) {
  const programs = await findPrograms(process.env.CLOCHE_CHROMIUM);
  const browser = await launchBrowser(programs, await openFolder(t));
  t.after(() => browser[Symbol.asyncDispose]());
  const page = await openPage(browser.devtools, await openHost(glb));
  const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
  const features = [{ name: 'prefers-color-scheme', value: 'light' }];
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
  await page.send('Emulation.setEmulatedMedia', { features });
  await page.send('Page.navigate', { url: HOST });
  const shoot = async () => {
    const { data } = await page.send<{ data: string }>('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  };

  await page.evaluate(UNTIL_SEEN);
  let seen = await shoot();
  for (let before: Buffer | undefined; before?.equals(seen) !== true; ) {
    before = seen;
    seen = await shoot();
  }
  await page.evaluate("frames[0].document.querySelector('canvas').style.visibility = 'hidden'");
  return { seen, bare: await shoot() };
}

/** A page that shows the model in a frame as large as itself. */
async function openHost(glb: Buffer): Promise<Site> {
  const viewer = await readViewer();
  const site = openSite(
    {
      ...viewer,
      fill: (framed) => viewer.fill({ ...framed, still: false, origins: [ORIGIN] }),
    },
    glb,
    undefined,
  );
  const html = `<!doctype html><html><style>* { margin: 0; border: 0 }
    iframe { display: block; width: 100vw; height: 100vh }</style><iframe src="/"></iframe>`;
  return (address) =>
    address === HOST
      ? { body: Buffer.from(html), headers: { 'content-type': 'text/html' } }
      : site(address);
}

// Then everything but the design is hidden: buttons, hints.
const UNTIL_SEEN = `(async () => {
  const root = () => frames[0]?.document.documentElement;
  while (root()?.dataset.seen === undefined) await new Promise(requestAnimationFrame);
  for (const one of root().querySelectorAll('main > :not(#view)')) one.style.display = 'none';
})()`;
