import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { readSdkBuild } from '../../server/src/sdk/sdk-build.ts';
import type { TestServer } from '../../server/testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { TestSites } from '../test-sites.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openCodeTab, readEmbedCode } from './embed-code-tabs.ts';
import { assertEmbedVisible, assertFewClicks, countClicks, pasteInto } from './embed-flow.ts';
import { openConsole, signInToConsole } from './open-console.ts';

const SDK_DIST = join(import.meta.dirname, '../../sdk/dist');
const PLACEHOLDER = 'CLOCHE_EMBED_TOKEN';
const HOSTILE_NAME = `<img src=x onerror="document.title='x'">{{x}} ${'W'.repeat(150)}`;

describe('the embed builder', () => {
  it('leads from the first token to a visible embed in five clicks', async (t) => {
    const { service, page, errors, sites } = await openBuilder(t, { signedIn: false });
    const clicks = await countClicks(page);
    await signInToConsole(page, service.token);
    await uploadTestDesign(service);
    await page.getByRole('link', { name: 'Embed' }).click();
    // The list of designs, which is shown until then, has a link of the same name.
    await page.getByRole('heading', { name: 'Embed', level: 1, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Oak chair' }).click();
    const shop = sites.getOrigin('shop.test');
    await page.getByLabel('Addresses of your pages').fill(`${shop}/chairs`);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('The token is in the code below').waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const html = await pasteInto(
      page,
      sites.addPage('shop.test', '/editor', '<textarea></textarea>'),
    );
    await assertEmbedVisible(page, sites.addPage('shop.test', '/chairs', html));
    assertFewClicks(clicks.count);
    assert.deepEqual(errors, []);
  });

  it('shows the code of the API, for a hostile name; the token says on which pages', async (t) => {
    const { service, page, errors, sites } = await openBuilder(t);
    const design = await uploadTestDesign(service, HOSTILE_NAME, makeBox());
    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    const response = await sendRequest(
      service,
      'POST',
      '/embed/iframe/v1',
      { uri: design.uri },
      {
        accept: 'text/html',
        host: new URL(service.origin).host,
      },
    );
    await page.getByRole('tab', { name: 'HTML' }).waitFor();
    assert.equal(await readEmbedCode(page), response.body);
    assert.ok(response.body.includes(PLACEHOLDER));

    const shop = sites.getOrigin('shop.test');
    await page.getByLabel('Addresses of your pages').fill(shop);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('The token is in the code below').waitFor();
    const html = await readEmbedCode(page);
    await assertPageFits(page, 'a new token');
    const [, token = ''] = /token=(cloche_pk_\w+)/.exec(html) ?? [];
    assert.equal(html, response.body.replace(PLACEHOLDER, token));
    const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    const { capabilities, origins, designs } = items[0];
    assert.deepEqual([capabilities, origins, designs], [['embed'], [shop], [design.id]]);

    for (const name of ['Web component', 'JavaScript']) {
      await openCodeTab(page, name);
      const code = await readEmbedCode(page);
      assert.ok(code.includes(token));
      await assertEmbedVisible(page, sites.addPage('shop.test', `/${name.length}`, code));
    }
    for (const name of ['WordPress', 'Shopify']) {
      await openCodeTab(page, name);
      assert.equal(await readEmbedCode(page), html, name);
    }
    await openCodeTab(page, 'Notion');
    const [, src = ''] = /src="([^"]*)"/.exec(html) ?? [];
    assert.equal(await readEmbedCode(page), src.replaceAll('&amp;', '&'));
    await openCodeTab(page, 'Markdown');
    const name = HOSTILE_NAME.replace(/[<>!#|&(){}[\]_*`\\]/g, '\\$&');
    assert.equal(await readEmbedCode(page), `[![${name}](poster.webp)](${shop})`);
    assert.equal(await page.evaluate('document.title'), 'Embed · Cloche');
    assert.deepEqual(errors, []);
  });

  it('says why an embed would not be shown, and what is wrong with an address', async (t) => {
    const { service, page, errors } = await openBuilder(t);
    const design = await uploadTestDesign(service);
    const { id } = await issueToken(service, { name: 'shop' });
    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    const check = page.getByRole('button', { name: 'Check', exact: true });
    await page.getByLabel('Address of your page', { exact: true }).fill('www.shop.example/a');
    await check.click();
    await page.getByRole('alert').filter({ hasText: 'Choose or create a token' }).waitFor();
    await page.getByRole('radio', { name: 'shop' }).check();
    await check.click();
    const status = page.getByRole('status');
    await status.filter({ hasText: 'Not shown' }).filter({ hasText: 'without "www."' }).waitFor();
    await assertPageFits(page, 'a page that would not show it');
    await page.getByLabel('Address of your page', { exact: true }).fill('shop.example');
    await check.click();
    await status.filter({ hasText: /^Shown/ }).waitFor();
    await page.getByText('https://www.shop.example is not').waitFor();

    const pages = page.getByLabel('Addresses of your pages');
    for (const [text, message] of [
      ['*.co.uk', 'would allow the sites of everyone under "co.uk"'],
      ['ftp://shop.example', 'is not a web origin'],
      ['https://xn--bcher-kva.example https://*', 'must be the whole first label'],
      ['*.amazonaws.com', 'would allow the sites of everyone'],
    ] as const) {
      await pages.fill(text);
      await status.filter({ hasText: 'Error' }).filter({ hasText: message }).waitFor();
    }
    await assertWarningsOfService(service, page, design.id);
    await sendRequest(service, 'DELETE', `/v1/tokens/${id}`);
    await check.click();
    await page.getByText('was revoked').waitFor();
    assert.deepEqual(errors, []);
  });

  it('offers no new token to a session that may not create one', async (t) => {
    const { service, page, errors } = await openBuilder(t, { signedIn: false });
    const design = await uploadTestDesign(service);
    const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
    await signInToConsole(page, reader.token);
    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    await page.getByText('No token fits').waitFor();
    await issueToken(service, { name: 'shop' });
    await page.reload();
    await page.getByRole('radio', { name: 'shop' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create token' }).count(), 0);
    assert.deepEqual(errors, []);
  });

  it('fits every screen with no designs, few and many', async (t) => {
    const { service, page, errors } = await openBuilder(t);
    await page.goto(`${service.origin}/console/embed`);
    await page.getByText('You have no designs yet').waitFor();
    await assertPageFits(page, 'no designs');
    const design = await uploadTestDesign(service, HOSTILE_NAME, makeBox());
    for (let index = 0; index < 14; index += 1) await uploadTestDesign(service, `Chair ${index}`);
    for (let index = 0; index < 3; index += 1) await issueToken(service, { name: HOSTILE_NAME });
    await page.reload();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(HOSTILE_NAME.slice(0, 20)).waitFor();
    await assertPageFits(page, 'many designs');
    await page.getByLabel('Find a design').fill('Chair 13');
    await page.getByText('Chair 12').waitFor({ state: 'detached' });
    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    await page.getByLabel('Addresses of your pages').fill('shop.example *.co.uk http://a.example');
    await page.getByText('would allow the sites of everyone').waitFor();
    await page.getByRole('tab', { name: 'HTML' }).waitFor();
    await assertPageFits(page, 'the builder');
    assert.deepEqual(errors, []);
  });
});

/** Fails if the warnings while an owner types are not those in the response of the service. */
async function assertWarningsOfService(
  service: TestServer,
  page: Page,
  designId: string,
): Promise<void> {
  const origins = ['http://shop.example', 'https://*.wordpress.com', 'https://www.a.co.uk'];
  const { id } = await issueToken(service, { origins, name: 'warned' });
  const body = { tokenId: id, design: designId, ancestors: ['https://shop.example'] };
  const { warnings } = (await sendRequest(service, 'POST', '/v1/tokens/check', body)).json();
  assert.equal(warnings.length, 5);
  const pages = page.getByLabel('Addresses of your pages');
  await pages.fill(origins.join(' '));
  const described = (await pages.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const result = page.locator(`[id="${described.at(-1)}"]`);
  await result.getByText('uses http').waitFor();
  const shown = await result.locator('p:has(.badge)').allInnerTexts();
  assert.deepEqual(
    shown,
    warnings.map((warning: string) => `Warning ${warning}`),
  );
  await pages.fill('https://shop.example https://www.shop.example');
  await result.getByText('Warning').first().waitFor({ state: 'detached' });
}

async function openBuilder(t: TestContext, view: Parameters<typeof openConsole>[2] = {}) {
  const sites = await TestSites.open(t);
  const opened = await openConsole(t, { sdk: await readSdkBuild(SDK_DIST) }, view);
  return { ...opened, sites };
}
