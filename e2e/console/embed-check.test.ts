import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { issueToken, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

const SHOP = 'https://shop.example';
const BLOG = 'https://blog.example';
/** Browsers do not tell it from an https page without a referrer. */
const HTTP = 'http://shop.example';

/** Opens the embed builder. There is one token for the shop and one for all sites. */
async function openCheck(t: TestContext) {
  const { service, page, errors } = await openConsole(t);
  const { id } = await uploadTestDesign(service);
  const shop = await issueToken(service, { name: 'first', origins: [SHOP] });
  const both = await issueToken(service, { name: 'second', origins: [SHOP, BLOG, HTTP] });
  await page.goto(`${service.origin}/console/embed?design=${id}`);
  const section = page.getByRole('region', { name: 'Test it' });
  const address = section.getByLabel('Address of your page', { exact: true });
  const result = section.getByRole('status');
  const check = async (expected: RegExp) => {
    await section.getByRole('button', { name: 'Check' }).click();
    await result.filter({ hasText: expected }).waitFor();
  };
  const assertNoResult = async (change: string) =>
    assert.equal(await result.innerText(), '', change);
  return { page, errors, shop, both, section, address, check, assertNoResult };
}

describe('"Test it" in the embed builder', () => {
  it('shows no result of another token, page or address', async (t) => {
    const { page, errors, address, check, assertNoResult } = await openCheck(t);
    const token = (name: string) => page.getByRole('radio', { name });
    await token('second').check();
    await address.fill(`${BLOG}/post`);
    await check(/^Shown/);
    await address.fill(`${BLOG}/post/2`);
    await assertNoResult('another address');
    await check(/^Shown/);
    await token('first').check();
    await assertNoResult('another token');
    await check(/^Not shown/);
    assert.deepEqual(errors, []);
  });

  it('follows the pages that show the design', async (t) => {
    const { page, address, check, assertNoResult } = await openCheck(t);
    const pages = page.getByLabel('Addresses of your pages');
    await pages.fill('shop.example');
    await page.getByRole('radio', { name: 'second' }).check();
    await check(/^Shown/);
    await pages.fill('blog.example');
    await page.waitForFunction(
      ([input, origin]) => (input as HTMLInputElement | null)?.value === origin,
      [await address.elementHandle(), BLOG] as const,
    );
    await assertNoResult('another page');
  });

  it('checks the token whose text was entered', async (t) => {
    const { page, shop, both, address, check, assertNoResult } = await openCheck(t);
    await page.getByRole('radio', { name: 'second' }).check();
    await address.fill(BLOG);
    await check(/^Shown/);
    const text = page.getByLabel('Text of the token');
    await text.fill(shop.token);
    await assertNoResult('a text');
    await check(/^Not shown/);
    await text.fill(both.token);
    await check(/^Shown/);
    await text.fill(`${both.token.slice(0, -1)}x`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: /token/ }).waitFor();
    await assertNoResult('a text with a mistake');
  });

  it('also checks the pages around the page, and an iframe without a referrer', async (t) => {
    const { page, errors, section, address, check, assertNoResult } = await openCheck(t);
    await page.getByRole('radio', { name: 'second' }).check();
    await address.fill(SHOP);
    await section.getByText('More').click();
    const outer = section.getByLabel('Pages around your page');
    await outer.fill(`blog.example ${SHOP}`);
    await check(/^Shown/);
    await outer.fill('blog.example https://other.example/');
    await assertNoResult('other pages around it');
    await check(/^Not shown/);
    await assertPageFits(page, 'a check of nested pages');
    await outer.fill('');
    await address.fill(HTTP);
    await section.getByLabel('The iframe has referrerpolicy').check();
    await check(/^Not shown/);
    await section.getByLabel('The iframe has referrerpolicy').uncheck();
    await check(/^Shown/);
    assert.deepEqual(errors, []);
  });
});
