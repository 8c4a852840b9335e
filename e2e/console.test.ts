import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { readConsoleBuild } from '../server/src/console/console-build.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { createBlockingProcessor } from '../server/testing/fake-processing.ts';
import { openTestServer, type TestServerOptions } from '../server/testing/harness.ts';
import { issueToken, sendRequest } from '../server/testing/requests.ts';
import { openChromium } from './chromium.ts';
import { findViolations } from './find-violations.ts';
import { countPixels, type RgbColor } from './pixels.ts';
import { TestSites } from './test-sites.ts';

const ROOT = join(import.meta.dirname, '..');
const CHAIR = { name: 'Oak chair.glb', mimeType: 'model/gltf-binary' };
const MAGENTA: RgbColor = [255, 0, 255];
const makeMagentaBox = () => makeBox({ color: [1, 0, 1], unlit: true });

type View = { width?: number; colorScheme?: 'light' | 'dark' };

/** Opens the owner's page, at a plain http origin, where browsers send the fewest headers. */
async function openConsole(t: TestContext, options: TestServerOptions = {}, view: View = {}) {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(join(ROOT, 'viewer/dist')),
    console: await readConsoleBuild(join(ROOT, 'console/dist')),
    ...options,
  });
  const browser = await openChromium();
  t.after(() => browser.close());
  const { width = 1440, colorScheme = 'light' } = view;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // The browser also logs 4xx responses here, which are not errors of the page.
    const isRefusal = /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) errors.push(message.text());
  });
  await page.goto(`${service.origin}/`);
  return { service, page, errors };
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function chooseFile(page: Page, buffer: Buffer): Promise<void> {
  // The file field itself is hidden. Its label is visible once the page takes files.
  await page.getByText('Choose a file').waitFor();
  await page.getByLabel('Choose a file').setInputFiles({ ...CHAIR, buffer });
}

async function createHtml(page: Page, address: string): Promise<string> {
  await page.getByLabel('Address of your page').fill(address);
  await page.getByRole('button', { name: 'Create the HTML' }).click();
  const code = page.getByRole('group', { name: 'HTML for your page' });
  await code.waitFor();
  return (await code.textContent()) ?? '';
}

async function assertFits(page: Page, state: string): Promise<void> {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.equal(overflow, 0, `${state} is wider than the screen`);
  assert.deepEqual(await findViolations(page.mainFrame()), [], state);
}

describe("the owner's page", () => {
  it('takes a file, shows it, and its HTML shows it on the listed page', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await signIn(page, service.token);
    await chooseFile(page, makeMagentaBox());
    await page.getByRole('heading', { name: 'Oak chair' }).waitFor();
    await waitUntil('the live view', async () => (await countPixels(page, MAGENTA)) > 500);
    const report = (await page.locator('.report').textContent()) ?? '';
    assert.match(report, /Your file \(GLB\) has [\d.]+ kB\. Visitors load/);
    assert.match(report, /Triangles/);

    const sites = await TestSites.open(t);
    const html = await createHtml(page, `${sites.getOrigin('shop.test')}/chairs?id=7`);
    const [token] = (await sendRequest(service, 'GET', '/v1/tokens')).json().items;
    assert.deepEqual(token.capabilities, ['embed']);
    assert.deepEqual(token.origins, [sites.getOrigin('shop.test')]);
    assert.equal(token.designs.length, 1);
    assert.equal(token.expiresAt, null);
    await page.goto(sites.addPage('shop.test', '/chairs', html));
    await waitUntil('the embed', async () => (await countPixels(page, MAGENTA)) > 500);
    await page.goto(sites.addPage('evil.test', '/chairs', html));
    await page.waitForLoadState('networkidle');
    assert.equal(await countPixels(page, MAGENTA), 0);
    assert.deepEqual(
      errors.filter((text) => !text.includes('frame-ancestors')),
      [],
    );
  });

  it('takes a dropped file, and shows the progress of upload and processing', async (t) => {
    const { processor, release } = createBlockingProcessor();
    const { service, page } = await openConsole(t, { processing: { modelProcessor: processor } });
    await signIn(page, service.token);
    await dropFile(page, CHAIR.name, makeMagentaBox());
    const row = page.getByRole('listitem').filter({ hasText: 'Oak chair.glb' });
    await row.getByText(/textures, \d+ %/).waitFor();
    const readBar = (label: string) =>
      row.getByLabel(label).evaluate((bar) => (bar as HTMLProgressElement).value);
    assert.equal(await readBar('Upload'), 100);
    const processed = await readBar('Processing');
    assert.ok(processed > 0 && processed < 100, `${processed} %`);
    await row
      .getByRole('status')
      .filter({ hasText: /processing \d+ %/ })
      .waitFor();
    release();
    await page.getByRole('heading', { name: 'Oak chair' }).waitFor();
    await page.getByRole('heading', { name: 'Recent designs' }).waitFor();
  });

  it('works with the keyboard alone', async (t) => {
    const { service, page } = await openConsole(t);
    await page.getByLabel('API token').focus();
    await page.keyboard.type(service.token);
    await page.keyboard.press('Enter');
    const picker = page.waitForEvent('filechooser');
    await page.locator('#file:focus').waitFor();
    await page.keyboard.press('Enter');
    await (await picker).setFiles({ ...CHAIR, buffer: makeBox() });
    await page.locator('#design-heading:focus').waitFor();
    await page.getByLabel('Address of your page').focus();
    await page.keyboard.type('localhost:5173');
    await page.keyboard.press('Enter');
    const copy = page.getByRole('button', { name: 'Copy' });
    await copy.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // Over plain http the page may not write to the clipboard: it selects the HTML.
    await page.getByRole('status').filter({ hasText: 'Selected' }).waitFor();
    assert.match(await page.evaluate('String(getSelection())'), /^<iframe src=/);
  });

  it('says what is wrong with a token, and forgets the token in any case', async (t) => {
    const { service, page } = await openConsole(t);
    const publicToken = await issueToken(service);
    const revoked = await issueToken(service, { capabilities: ['read'], origins: [] });
    await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
    const rows: [token: string, message: RegExp][] = [
      ['', /Enter your token/],
      ['hello', /not a token of Cloche/],
      [publicToken.token, /public token/],
      [service.token.slice(0, -1), /not a complete Cloche token/],
      [revoked.token, /was revoked/],
    ];
    for (const [token, message] of rows) {
      await signIn(page, token);
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
      await page.locator('#token:focus').waitFor();
    }
    await signIn(page, service.token);
    await page.getByRole('heading', { name: 'Your designs' }).waitFor();
    const kept = await page.evaluate(
      (text) =>
        [document.documentElement.outerHTML, JSON.stringify({ ...localStorage, ...sessionStorage })]
          .concat((document.getElementById('token') as HTMLInputElement).value, document.cookie)
          .some((place) => place.includes(text)),
      service.token.slice(10),
    );
    assert.equal(kept, false, 'the token is somewhere in the page');
    const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    assert.ok(items.every((item: { seenInBrowserAt: null }) => item.seenInBrowserAt === null));
  });

  it('says what is wrong with a file and with an address', async (t) => {
    const { service, page } = await openConsole(t);
    await signIn(page, service.token);
    await chooseFile(page, Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1'));
    const alert = page.getByRole('alert').filter({ hasText: /PNG/ });
    await alert.waitFor();
    const link = alert.getByRole('link', { name: 'What this means' });
    assert.equal(await link.getAttribute('href'), '/docs/problems#design.unsupported');
    await chooseFile(page, makeBox());
    await page.getByRole('heading', { name: 'Oak chair' }).waitFor();
    for (const [address, message] of [
      ['', /Enter the address/],
      ['https://*', /must be the whole first label/],
      ['ftp://shop.example', /http/],
    ] as const) {
      await page.getByLabel('Address of your page').fill(address);
      await page.getByRole('button', { name: 'Create the HTML' }).click();
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
    }
  });

  it('asks for the token again when the session has ended, and removes what it showed', async (t) => {
    const { service, page } = await openConsole(t);
    const parent = await issueToken(service, { capabilities: ['read', 'write'], origins: [] });
    await signIn(page, parent.token);
    await chooseFile(page, makeBox());
    await page.getByRole('heading', { name: 'Oak chair' }).waitFor();
    await sendRequest(service, 'DELETE', `/v1/tokens/${parent.id}`);
    await page.getByRole('button', { name: /Oak chair/ }).click();
    await page.getByRole('alert').filter({ hasText: 'was revoked' }).waitFor();
    await page.locator('#token:focus').waitFor();
    assert.ok(!(await page.locator('main').innerHTML()).includes('Oak chair'));
    await signIn(page, service.token);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('#token:focus').waitFor();
  });

  it('continues an upload after the connection was cut', async (t) => {
    const { service, page } = await openConsole(t);
    await signIn(page, service.token);
    let cut = 0;
    await page.route('**/v1/uploads/*', async (route) => {
      if (route.request().method() !== 'PATCH' || cut > 0) return route.continue();
      cut += 1;
      return route.abort('connectionreset');
    });
    await chooseFile(page, makeBox());
    await page.getByRole('heading', { name: 'Oak chair' }).waitFor();
    assert.equal(cut, 1);
    const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
    assert.equal(items.length, 1);
  });

  it('without write: shows designs and says why it takes no file', async (t) => {
    const { service, page } = await openConsole(t);
    const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
    await signIn(page, reader.token);
    await page.getByText('Your token cannot upload files').waitFor();
    assert.equal(await page.getByText('Choose a file').isVisible(), false);
  });

  for (const width of [360, 1440]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`${width} px, ${colorScheme}: fits the screen, without accessibility violations`, async (t) => {
        const { service, page, errors } = await openConsole(t, {}, { width, colorScheme });
        await assertFits(page, 'sign-in');
        await signIn(page, 'hello');
        await page.getByRole('alert').filter({ hasText: 'not a token' }).waitFor();
        await assertFits(page, 'sign-in with a mistake');
        await signIn(page, service.token);
        await page.getByText('Choose a file').waitFor();
        await assertFits(page, 'no designs');
        await chooseFile(page, Buffer.from('x'));
        await page.locator('.upload.failed').waitFor();
        await chooseFile(page, makeBox({ name: 'w'.repeat(80) }));
        await page.getByRole('heading', { name: 'Oak chair' }).waitFor();
        await createHtml(page, 'shop.example');
        await page.locator('#design iframe').waitFor();
        await assertFits(page, 'a design');
        assert.deepEqual(errors, []);
      });
    }
  }
});

/** Drops a file on the page, as a file manager does. */
async function dropFile(page: Page, name: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ({ name, base64 }) => {
      const data = new DataTransfer();
      const content = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      data.items.add(new File([content], name));
      return data;
    },
    { name, base64: bytes.toString('base64') },
  );
  await page.dispatchEvent('#drop-zone', 'dragover', { dataTransfer: transfer });
  await page.locator('#drop-zone.active').waitFor();
  await page.dispatchEvent('#drop-zone', 'drop', { dataTransfer: transfer });
}
