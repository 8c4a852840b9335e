import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { LOOPBACK_FETCHING, openPageServer } from '../../server/testing/page-server.ts';
import { issueToken, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

const HOSTILE = `"><img src=x onerror=alert(1)>${'x'.repeat(200)}`;

describe('the check of a page', () => {
  it('says which embeds are shown, why others are not, and what to change', async (t) => {
    const { service, page, errors, shop, pages } = await openShopConsole(t);
    const design = await uploadTestDesign(service);
    const own = await issueToken(service, { origins: [shop.origin] });
    const other = await issueToken(service, { origins: ['https://other.example'] });
    const toIframe = (token: string) =>
      `<iframe title="Chair" src="${service.origin}/embed/iframe/v1/${design.id}?token=${token}"></iframe>`;
    pages.set('/chairs', `${toIframe(own.token)}\n${toIframe(other.token)}`);

    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Enter the URL' }).waitFor();
    await page.getByLabel('URL of the page').fill(`${shop.origin}/chairs`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('heading', { name: 'Result Not all shown' }).waitFor();
    await page.locator('h2:focus').waitFor();
    const address = new URL(page.url());
    assert.equal(address.searchParams.get('url'), `${shop.origin}/chairs`);
    await page.getByRole('heading', { name: '<iframe> in line 1 shown', exact: true }).waitFor();
    await page.getByRole('heading', { name: '<iframe> in line 2 not shown' }).waitFor();
    const fixes = page.getByRole('group', { name: /^What to change/ });
    const texts = await fixes.allInnerTexts();
    assert.ok(
      texts.some((text) => text.includes(`Add "${shop.origin}" to "origins"`)),
      texts.join(),
    );
    await assertPageFits(page, 'one of two embeds is shown');
    const links = page.getByRole('link', { name: own.id });
    assert.equal(await links.first().getAttribute('href'), `/console/tokens/${own.id}`);

    // Who opens the address sees the check, and can repeat it.
    pages.set('/chairs', toIframe(own.token));
    await page.reload();
    await page.getByRole('heading', { name: 'Result All shown' }).waitFor();
    pages.set('/chairs', 'nothing');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('heading', { name: 'Result No embeds' }).waitFor();
    assert.deepEqual(errors, []);
  });

  it('says in words why a page cannot be checked', async (t) => {
    const { page, errors, shop, pages } = await openShopConsole(t, ['127.0.0.1', '10.0.0.1']);
    const rows: [url: string, message: RegExp][] = [
      ['ftp://shop.example/', /^URL of the page: .*must begin with https/],
      [`${shop.origin}/picture`, /not that of an HTML page/],
      [`${shop.origin}/missing`, /status 404/],
      [`${shop.origin}/loop`, /redirects more than/],
      ['http://internal.example/', /^URL of the page: the host of the page.*no public address/],
      ['http://shop.example:1/', /cannot be reached|no public address/],
    ];
    pages.set('/loop', '');
    for (const [url, message] of rows) {
      await page.getByLabel('URL of the page').fill(url);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      // The messages of two URLs can be the same.
      await page.waitForURL((address) => address.searchParams.get('url') === url);
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
    }
    await assertPageFits(page, 'a page that cannot be checked');
    assert.deepEqual(errors, []);
  });

  it('fits every screen, without accessibility violations', async (t) => {
    const { page, errors, shop, pages } = await openShopConsole(t);
    await page.getByRole('heading', { name: 'What the check sees' }).waitFor();
    await assertPageFits(page, 'the form');
    const source = encodeURIComponent(HOSTILE);
    const iframe = `<iframe srcdoc="${source}" sandbox="${source}" src="https://cloche.example/embed/iframe/v1/${source}?token=${source}"></iframe>`;
    pages.set(`/${source}`, iframe.repeat(60));
    await page.getByLabel('URL of the page').fill(`${shop.origin}/${source}`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('The first 50 of 60 embeds were checked.').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    await assertPageFits(page, 'many embeds with errors');
    assert.deepEqual(errors, []);
  });
});

/** Opens the console at the check, and a shop whose pages are HTML. */
async function openShopConsole(t: TestContext, internalAddresses = ['127.0.0.1']) {
  const pages = new Map<string, string>();
  const shop = await openPageServer(t, ({ url = '' }, response) => {
    const html = pages.get(url);
    if (url === '/loop') response.writeHead(302, { location: '/loop' });
    else if (url === '/picture') response.writeHead(200, { 'content-type': 'image/png' });
    else response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(html);
  });
  const resolve = async (host: string) =>
    host === 'internal.example' ? internalAddresses.slice(1) : ['127.0.0.1'];
  const pageFetching = { ...LOOPBACK_FETCHING, resolve };
  const opened = await openConsole(t, { pageFetching }, { path: '/page-check' });
  return { ...opened, shop, pages };
}
