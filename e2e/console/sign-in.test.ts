import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueToken, sendRequest } from '../../server/testing/requests.ts';
import { runInProcess } from '../../server/testing/run-cloche-server.ts';
import { getDatabaseSettings } from '../../server/testing/test-database.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole } from './open-console.ts';

describe('signing in to the console', () => {
  it('says what is wrong with a token; after the sign-in, the token is not in the page', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
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
      await page.getByLabel('API token').fill(token);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
      await page.locator('#token:focus').waitFor();
    }
    await signInToConsole(page, service.token);
    await page.getByRole('heading', { name: 'Designs' }).waitFor();
    const kept = await page.evaluate(
      (text) =>
        [document.documentElement.outerHTML, JSON.stringify({ ...localStorage, ...sessionStorage })]
          .concat(document.cookie)
          .some((place) => place.includes(text)),
      service.token.slice(10),
    );
    assert.equal(kept, false, 'the token is somewhere in the page');
    const [cookie, ...others] = await page.context().cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, others], [true, 'Strict', []]);
    assert.deepEqual(errors, []);
  });

  it('writes nothing to the log of the browser, with and without a session', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    const logged: string[] = [];
    page.on('console', (message) => logged.push(`${message.type()}: ${message.text()}`));
    const form = page.getByLabel('API token');
    await page.reload();
    await form.waitFor();
    await signInToConsole(page, service.token);
    await page.reload();
    await page.getByRole('heading', { name: 'Designs' }).waitFor();
    const other = await page.context().newPage();
    let isSignedOut = false;
    other.on('console', (message) => {
      // If its event stream ends before the cookie is removed, it asks for a session that has ended.
      const isOfEndedSession = isSignedOut && /status of 401/.test(message.text());
      if (!isOfEndedSession) logged.push(`${message.type()}: ${message.text()}`);
    });
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'Designs' }).waitFor();
    isSignedOut = true;
    await page.getByRole('button', { name: 'Sign out' }).click();
    // The event stream may end before the message of the first tab arrives: then the reason is not the same.
    await other
      .getByRole('alert')
      .filter({ hasText: /signed out|has ended/ })
      .waitFor();
    await page.reload();
    await form.waitFor();
    assert.deepEqual(logged, []);
    assert.deepEqual(errors, []);
  });

  it('with a one-time link: after a click; other tabs and a reload are signed in', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    const settings = { ...getDatabaseSettings(service), CLOCHE_PUBLIC_URL: service.origin };
    const { stdout, stderr } = await runInProcess(['sign-in-link'], settings);
    const url = stdout.trim();
    assert.ok(url.startsWith(`${service.origin}/console#sign-in=`), stderr);
    await page.goto('about:blank');
    await page.goto(url);
    const button = page.getByRole('button', { name: 'Sign in with the link' });
    await button.waitFor();
    assert.equal(page.url(), `${service.origin}/console`, 'the code is no longer in the address');
    assert.deepEqual(await page.context().cookies(), []);
    await button.click();
    const heading = page.getByRole('heading', { name: 'Designs' });
    await heading.waitFor();
    await page.reload();
    await heading.waitFor();
    const other = await page.context().newPage();
    await other.goto(`${service.origin}/`);
    await other.getByRole('heading', { name: 'Designs' }).waitFor();
    assert.equal(other.url(), `${service.origin}/console/designs`);
    await other.close();

    await page.goto('about:blank');
    await page.goto(url);
    await button.click();
    await page.getByRole('alert').filter({ hasText: 'was used' }).waitFor();
    await assertPageFits(page, 'a link that was used');
    assert.deepEqual(errors, []);
  });

  it('fits every screen, without accessibility violations', async (t) => {
    const view = { width: 360, signedIn: false };
    const { service, page, errors } = await openConsole(t, {}, view);
    await page.getByLabel('API token').waitFor();
    await assertPageFits(page, 'the form');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').filter({ hasText: 'Enter your token' }).waitFor();
    await assertPageFits(page, 'the form with a mistake');
    await signInToConsole(page, service.token);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Tokens' }).waitFor();
    await assertPageFits(page, 'the navigation');
    await page.goto(`${service.origin}/console/nothing`);
    await page.getByText('There is no such page.').waitFor();
    await assertPageFits(page, 'not found');
    assert.deepEqual(errors, []);
  });
});
