/** The main path through the console in Firefox. The other tests of this folder are for Chromium. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import { skipWithout } from '../../scripts/optional-programs.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { readConsoleBuild } from '../../server/src/console/console-build.ts';
import { readViewerBuild } from '../../server/src/embed/viewer-build.ts';
import { openTestServer } from '../../server/testing/harness.ts';
import { runInProcess } from '../../server/testing/run-cloche-server.ts';
import { getDatabaseSettings } from '../../server/testing/test-database.ts';
import { openFirefox } from '../firefox.ts';
import { TestSites } from '../test-sites.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'demo/sample.glb');
const SHOP = 'shop.test';
const PAGES_FIELD = 'section[aria-labelledby="embed-pages"] input';
const TIMEOUT_MS = 120_000;

const skip = skipWithout('firefox-esr', 'Xvfb');

test('Firefox: from a link to sign in to an embed on another origin; then the token and the service', {
  skip,
}, async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(join(ROOT, 'viewer/dist')),
    console: await readConsoleBuild(join(ROOT, 'console/dist')),
  });
  const settings = { ...getDatabaseSettings(service), CLOCHE_PUBLIC_URL: service.origin };
  const { stdout } = await runInProcess(['sign-in-link'], settings);

  const sites = await TestSites.open(t);
  const browser = await openFirefox(t, ['cloche.test', SHOP]);
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.setViewport({ width: 1440, height: 900 });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(stdout.trim());
  await clickButton(page, 'Sign in with the link');
  await waitForText(page, 'h1', 'Designs');
  assert.equal(new URL(page.url()).hash, '', 'the code is no longer in the address');

  await uploadFile(page, FILE);
  await clickLink(page, 'Embed');
  await waitForText(page, '.embed-designs', 'sample');
  await clickElement(page, '.embed-designs a', 'sample');
  await page.waitForSelector(PAGES_FIELD);
  await page.type(PAGES_FIELD, sites.getOrigin(SHOP));
  await clickButton(page, 'Create token');
  await waitForText(page, '.embed-created', 'The token is in the code below');
  await clickButton(page, 'Copy');
  await waitForText(page, '.copy-feedback', 'Copied');
  const html = await pasteInto(browser, sites.addPage(SHOP, '/editor', '<textarea></textarea>'));
  assert.match(html, /token=cloche_pk_\w+/);
  await assertEmbedReady(browser, sites.addPage(SHOP, '/chairs', html));

  await clickLink(page, 'Tokens');
  await waitForText(page, 'h1', 'Tokens');
  await waitForText(page, '.tokens', SHOP);
  await clickElement(page, '.tokens a', `${SHOP}:${sites.port}`);
  await waitForText(page, 'main', 'Usage');

  await clickLink(page, 'Operator');
  await waitForText(page, 'main', 'There has never been a backup.');
  await waitForText(page, 'main', 'SQLite');
  await page.select('select', 'debug');
  await clickElement(page, 'button', 'Apply');
  await waitForText(page, 'main', 'The log level is debug.');
  await clickLink(page, 'Users');
  await waitForText(page, '.user-list', 'operator');
  await clickButton(page, 'Sign out');
  await page.waitForSelector('#token');
  assert.deepEqual(errors, []);
});

/** Chooses a file to upload, and waits until its design is ready. */
async function uploadFile(page: Page, file: string): Promise<void> {
  const input = await page.waitForSelector('input[type=file][aria-label="Upload files"]');
  await (input as ElementHandle<HTMLInputElement>).uploadFile(file);
  await waitForText(page, '.upload-panel', '1 of 1 upload finished');
}

/** Pastes from the clipboard into the editor of a web site, and returns what it contains then. */
async function pasteInto(browser: Browser, url: string): Promise<string> {
  const editor = await browser.newPage();
  await editor.goto(url);
  await editor.focus('textarea');
  await editor.keyboard.down('Control');
  await editor.keyboard.press('v');
  await editor.keyboard.up('Control');
  await editor.waitForFunction("document.querySelector('textarea').value !== ''");
  const text = await editor.$eval('textarea', ({ value }) => value);
  await editor.close();
  return text;
}

/** Opens a page, and waits until its embed has drawn the model. */
async function assertEmbedReady(browser: Browser, url: string): Promise<void> {
  const shop = await browser.newPage();
  shop.setDefaultTimeout(TIMEOUT_MS);
  await shop.goto(url);
  const iframe = await shop.waitForSelector('iframe');
  const frame = await iframe?.contentFrame();
  assert.ok(frame, 'the page has no frame');
  await frame.waitForSelector('html[data-state="ready"]');
  await shop.close();
}

const clickButton = (page: Page, name: string) => clickElement(page, 'button', name);
const clickLink = (page: Page, name: string) => clickElement(page, 'nav a', name);

/** Clicks the element with exactly this text, when there is one. */
async function clickElement(page: Page, selector: string, text: string): Promise<void> {
  const find = `[...document.querySelectorAll(${JSON.stringify(selector)})].find(({ textContent }) => textContent === ${JSON.stringify(text)})`;
  const click = async () => {
    const element = (await page.waitForFunction(find)) as ElementHandle;
    try {
      await element.click();
      return true;
    } catch (error) {
      // React has replaced it since it was found. Nothing was clicked.
      if (/not clickable|detached from document/.test(String(error))) return false;
      throw error;
    }
  };
  await waitUntil(`${text} to be clicked`, click, { timeoutMs: TIMEOUT_MS });
}

/** Waits until an element contains a text. */
async function waitForText(page: Page, selector: string, text: string): Promise<void> {
  const condition = `[...document.querySelectorAll(${JSON.stringify(selector)})].some(({ textContent }) => textContent.includes(${JSON.stringify(text)}))`;
  await page.waitForFunction(condition);
}
