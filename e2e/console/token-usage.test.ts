import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestServer } from '../../server/testing/harness.ts';
import { issueToken } from '../../server/testing/requests.ts';
import { connectToServerDatabase } from '../../server/testing/test-database.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

const DAY_MS = 86_400_000;
const MAX_SHOWN = 2000;

type Row = { origin: string; design: string; day: string; views: number };

const toDay = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const TODAY = toDay(0);

/** Stores usage of a new token, as if its embeds had been opened, and opens its page. */
async function openToken(t: TestContext, service: TestServer, page: Page, rows: readonly Row[]) {
  const { id } = await issueToken(service, { name: 'shop' });
  const values = rows.map(({ origin, design, day, views }) => {
    const time = `${day}T00:00:00.000Z`;
    return `('${id}', '${origin}', '${day}', '${design}', ${views}, 1000, '${time}', '${time}')`;
  });
  await connectToServerDatabase(t, service).exec(`INSERT INTO embed_usage VALUES ${values}`);
  await page.goto(`${service.origin}/console/tokens/${id}`);
}

describe('the usage of a token in the console', () => {
  it('has all origins, also what is counted together after the first 1,000', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const of = { design: 'a', day: TODAY };
    await openToken(t, service, page, [
      ...Array.from({ length: 1000 }, (_, index) => ({
        ...{ ...of, origin: `https://shop-${index}.example`, views: 1 },
      })),
      { ...of, origin: 'other', views: 800 },
      { ...of, origin: 'unknown', views: 200 },
    ]);
    await page.getByText('2,000 views, ').waitFor();
    const rows = page.getByRole('region', { name: 'By origin' }).locator('tbody tr');
    await rows.nth(2).waitFor();
    const texts = (await rows.allInnerTexts()).map((text) => text.split(/\s*[\n\t]\s*/));
    assert.deepEqual(
      texts.slice(0, 2).map(([name, views]) => [name?.split(':')[0], views]),
      [
        ['other', '800'],
        ['unknown', '200'],
      ],
    );
    assert.equal(await page.getByText('There are more').count(), 0);

    // The bars are as long as the numbers are large.
    const widths = await rows
      .locator('.usage-bar')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    const [most = 0, second = 0, ...others] = widths;
    assert.ok(Math.abs(second / most - 0.25) < 0.01, `${second} of ${most} px`);
    for (const width of others) assert.ok(width >= 1 && width <= 2, `${width} px`);
    const [cell = 0] = await rows
      .locator('th')
      .evaluateAll((cells) => cells.map(({ clientWidth }) => clientWidth));
    assert.ok(most > cell / 2 && most <= cell, `${most} of ${cell} px`);
    await assertPageFits(page, 'the usage of many origins');
    assert.deepEqual(errors, []);
  });

  it('says that the list of designs is cut', async (t) => {
    const { service, page } = await openConsole(t);
    const of = { origin: 'https://shop.example', day: TODAY, views: 1 };
    await openToken(
      t,
      service,
      page,
      Array.from({ length: MAX_SHOWN + 1 }, (_, index) => ({ ...of, design: `design-${index}` })),
    );
    await page.getByText('2,001 views, ').waitFor();
    await page.getByText('There are more: these are the first 2,000 by id').waitFor();
    assert.equal(await page.getByText('There are more').count(), 1, 'not for the origins');
  });

  it('can be read for the days between two dates', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const of = { origin: 'https://shop.example', design: 'a' };
    const days = [
      [0, 1],
      [10, 20],
      [12, 300],
      [20, 4000],
    ] as const;
    await openToken(
      t,
      service,
      page,
      days.map(([daysAgo, views]) => ({ ...of, day: toDay(daysAgo), views })),
    );
    await page.getByText('4,321 views, ').waitFor();
    await page.getByLabel('Days', { exact: true }).selectOption('between two dates');
    const first = page.getByLabel('First day');
    const last = page.getByLabel('Last day');
    assert.deepEqual([await first.inputValue(), await last.inputValue()], [toDay(29), TODAY]);
    await first.fill(toDay(12));
    // From the beginning of the text: the number before ends with the same digits.
    await page.getByText(/^321 views, /).waitFor();
    await last.fill(toDay(10));
    await page.getByText(/^320 views, /).waitFor();
    const plot = page.getByRole('figure', { name: 'Views' });
    assert.equal(await plot.getByRole('slider').getAttribute('max'), '2');
    await page.getByRole('region', { name: 'By origin' }).getByText('320').waitFor();
    await assertPageFits(page, 'the usage between two dates');
    await last.fill(toDay(13));
    await page.getByRole('alert').filter({ hasText: 'before the first' }).waitFor();
    await page.getByText('320 views, ').waitFor();
    await assertPageFits(page, 'dates that are reversed');
    await last.fill('');
    await page.getByRole('alert').filter({ hasText: 'Enter both days.' }).waitFor();
    await last.fill(toDay(12));
    await page.getByText('300 views, ').waitFor();
    assert.deepEqual(errors, []);
  });
});
