import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueToken, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole } from './open-console.ts';

/** What another tab says depends on what it has first: the end of its event stream, or the message of the tab that signed out. */
const SIGNED_OUT = /You are signed out|Your session has ended/;

describe('the sessions of the console', () => {
  it('ends one session and all others; every tab of them then shows the form and nothing else', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await uploadTestDesign(service, 'Secret chair');
    const browser = page.context().browser() ?? assert.fail('no browser');
    const openOther = async () => {
      const context = await browser.newContext();
      // The end is noticed by the event stream, not by the check of every 15 seconds.
      await context.addInitScript(() => {
        window.setInterval = (() => 0) as unknown as typeof setInterval;
      });
      const tabs = [await context.newPage(), await context.newPage()];
      for (const [index, tab] of tabs.entries()) {
        await tab.goto(`${service.origin}/console/embed`);
        if (index === 0) await signInToConsole(tab, service.token);
        await tab.getByText('Secret chair').waitFor();
      }
      return tabs;
    };
    const assertEnded = async (tabs: Awaited<ReturnType<typeof openOther>>) => {
      for (const tab of tabs) {
        await tab.getByLabel('API token').waitFor();
        await tab.getByRole('alert').filter({ hasText: 'Your session has ended' }).waitFor();
        assert.ok(!(await tab.content()).includes('Secret chair'));
      }
    };
    const first = await openOther();
    await page.goto(`${service.origin}/console/sessions`);
    await page.getByText('this browser').waitFor();
    const end = page.getByRole('button', { name: 'End the session of' });
    assert.equal(await end.count(), 2);
    await end.first().click();
    await page.getByText('The session was ended.').waitFor();
    await page.getByText('No other browser').waitFor();
    await assertEnded(first);

    const others = [await openOther(), await openOther()];
    await page.reload();
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('2 other browsers').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByText('No other browser').waitFor();
    for (const tabs of others) await assertEnded(tabs);

    const tab = await page.context().newPage();
    await tab.goto(`${service.origin}/console/embed`);
    await tab.getByText('Secret chair').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('alert').filter({ hasText: SIGNED_OUT }).waitFor();
    assert.ok(!(await tab.content()).includes('Secret chair'));
    assert.deepEqual(errors, []);
  });

  it('a token that can only read ends its own sessions only', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
    const context = await page.context().browser()?.newContext();
    const tab = (await context?.newPage()) ?? assert.fail('no browser');
    await tab.goto(`${service.origin}/console/sessions`);
    await signInToConsole(tab, reader.token);
    await tab.locator('.session').nth(1).waitFor();
    assert.equal(await tab.getByRole('button', { name: 'End the session of' }).count(), 1);
    await sendRequest(service, 'DELETE', `/v1/tokens/${reader.id}`);
    const alert = tab.getByRole('alert').filter({ hasText: 'was revoked. Sign in with another' });
    await alert.waitFor();
    assert.doesNotMatch(await alert.innerText(), /\/v1\//);
    assert.equal(await tab.locator('.session').count(), 0);
    assert.deepEqual(errors, []);
  });

  it('fits every screen with one session and many', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await page.goto(`${service.origin}/console/sessions`);
    await page.getByText('No other browser').waitFor();
    await assertPageFits(page, 'one session');
    const headers = {
      origin: service.origin,
      'sec-fetch-site': 'same-origin',
      host: new URL(service.origin).host,
    };
    const signInElsewhere = () => sendRequest(service, 'POST', '/v1/sessions', {}, headers);
    for (let index = 0; index < 2; index += 1) await signInElsewhere();
    await page.reload();
    await page.locator('.session').nth(2).waitFor();
    await assertPageFits(page, 'few sessions');
    for (let index = 2; index < 60; index += 1) await signInElsewhere();
    await page.reload();
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await assertPageFits(page, 'many sessions');
    // Also those that are not shown yet are ended.
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('60 other browsers').waitFor();
    await assertPageFits(page, 'the question');
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByText('No other browser').waitFor();
    assert.deepEqual(errors, []);
  });
});
