import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from './chromium.ts';
import { openEmbeddedDesign } from './embedded-design.ts';

for (const [name, host] of [
  ['another site', 'shop.test'],
  ['the same site', 'shop.cloche.test'],
] as const) {
  it(`a design has a process of its own, in a page of ${name}`, async (t) => {
    const { sites, send, html, token, origin } = await openEmbeddedDesign(t, { secure: true });
    const page = { capabilities: ['embed'], origins: [sites.getOrigin(host)] };
    const created = await send('POST', '/v1/tokens', { ...page, type: 'api', user: '~' });
    const ownHtml = html.replace(token.token, created.json().token);
    const url = sites.addPage(host, '/', ownHtml);
    const frames = await openPage(url);
    assert.ok(
      frames.some((frame) => frame.startsWith(origin)),
      `no iframe with a process of its own: ${frames}`,
    );
  });
}

/** Returns the URLs of the iframes of a page that have another process than the page. */
async function openPage(url: string): Promise<string[]> {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    // As on a desktop with enough memory.
    args: [...CHROMIUM_ARGUMENTS, '--site-per-process'],
  });
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    await page.goto(url);
    await page.locator('iframe').contentFrame().locator('html[data-state="ready"]').waitFor();
    const session = await browser.newBrowserCDPSession();
    const { targetInfos } = await session.send('Target.getTargets');
    return targetInfos.filter(({ type }) => type === 'iframe').map((target) => target.url);
  } finally {
    await browser.close();
  }
}
