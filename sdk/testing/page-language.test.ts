import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { DESIGN, openSdkPage, readCalls, waitForViewer } from './sdk-page.ts';

const SCRIPT = '<script src="SERVICE/sdk/v1/cloche.js"></script>';
const VIEWER = `<cloche-viewer design="${DESIGN}" token="t"></cloche-viewer>`;
const PATH = `/embed/iframe/v1/${DESIGN}?token=t`;

describe('the language of the page', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  for (const [name, html, query] of [
    ['that of the closest element with lang', `<main lang="de-AT">${VIEWER}</main>`, '&lang=de'],
    ['none if the page names none', VIEWER, ''],
    ['none if the viewer does not have it', `<main lang="sv">${VIEWER}</main>`, ''],
    [
      'not used if the element has one',
      `<main lang="de">${VIEWER.replace(' token', ' lang="fr" token')}</main>`,
      '&lang=fr',
    ],
    [
      'that around a shadow root',
      `<main lang="pt-BR"><div><template shadowrootmode="open">${VIEWER}</template></div></main>`,
      '&lang=pt',
    ],
  ] as const) {
    it(`<cloche-viewer>: ${name}`, async (t) => {
      const { page, requests } = await openSdkPage(t, browser, { html: html + SCRIPT });
      await waitForViewer(page);
      assert.deepEqual(requests.slice(1), [PATH + query]);
    });
  }

  it('is that of <html>, for an iframe that createViewer adds', async (t) => {
    const { page, requests, service } = await openSdkPage(t, browser, {
      html: `<main></main>${SCRIPT}`,
    });
    await page.evaluate(
      (source) => {
        document.documentElement.lang = 'ja';
        Cloche.createViewer(document.querySelector('main'), source);
      },
      { design: DESIGN, token: 't', service },
    );
    await waitForViewer(page);
    assert.deepEqual(requests.slice(1), [`${PATH}&lang=ja`]);
  });

  it('does not change a snippet that is in the page', async (t) => {
    const { page, requests } = await openSdkPage(t, browser, {
      html: `<main lang="de"><cloche-viewer exposure="2"><iframe src="VIEWER"></iframe></cloche-viewer></main>${SCRIPT}`,
    });
    const frame = await waitForViewer(page);
    await frame.waitForFunction(() => window.viewer.calls.length === 1);
    assert.deepEqual(await readCalls(frame), ['setOptions({"exposure":2})']);
    assert.deepEqual(requests.toSorted(), [PATH, '/sdk/v1/cloche.js']);
  });
});
