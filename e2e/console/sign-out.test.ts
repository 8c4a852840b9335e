import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

type Answer = (route: Route) => Promise<void>;

/** Answers requests about the session of the browser, one after the other, instead of the service. */
async function intercept(page: Page, method: string, answers: Answer[]): Promise<void> {
  await page.route('**/v1/sessions/current', (route) => {
    const answer = route.request().method() === method ? answers.shift() : undefined;
    return answer ? answer(route) : route.continue();
  });
}

const cut: Answer = (route) => route.abort();

function refuse(status: number): Answer {
  const [type, code, detail] = ['/docs/problems', 'server.failed', 'The service restarts.'];
  const body = JSON.stringify({ type, code, title: detail, detail, status });
  return (route) => route.fulfill({ status, contentType: 'application/problem+json', body });
}

describe('the session of the console, while the service does not answer', () => {
  it('does not seem to have ended until the service confirms it', async (t) => {
    const { page } = await openConsole(t);
    const designs = page.getByRole('heading', { name: 'Designs' });
    const form = page.getByLabel('API token');
    const signOut = page.getByRole('button', { name: 'Sign out' });
    const alert = page.getByRole('alert').filter({ hasText: 'You are not signed out. Try again.' });
    await designs.waitFor();
    await intercept(page, 'DELETE', [refuse(503), cut, refuse(429), refuse(404)]);
    await signOut.click();
    await alert.waitFor();
    await assertPageFits(page, 'a sign-out that failed');
    await page.reload();
    await designs.waitFor();
    await signOut.click();
    await alert.waitFor();
    for (const status of [429, 404]) {
      const response = page.waitForResponse((found) => found.status() === status);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await response;
      await alert.waitFor();
      assert.equal(await form.count(), 0);
    }
    await alert.getByRole('button', { name: 'Try again' }).click();
    await form.waitFor();
    assert.equal(await alert.count(), 0);
    assert.deepEqual(await page.context().cookies(), []);
  });

  it('is continued when the service answers again; the form is not shown', async (t) => {
    const { page } = await openConsole(t);
    const designs = page.getByRole('heading', { name: 'Designs' });
    const retry = page.getByRole('button', { name: 'Try again' });
    await designs.waitFor();
    const url = page.url();
    // The page asks for its session now and then.
    await page.goto('about:blank');
    await intercept(page, 'GET', [refuse(503), cut]);
    await page.goto(url);
    await page.getByRole('alert').filter({ hasText: 'The service restarts.' }).waitFor();
    assert.equal(await page.getByLabel('API token').count(), 0);
    await assertPageFits(page, 'a session that is not known');
    await retry.click();
    await page.getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor();
    await retry.click();
    await designs.waitFor();
  });

  it('has ended if the service says so at a reload', async (t) => {
    const { service, page } = await openConsole(t);
    await page.getByRole('heading', { name: 'Designs' }).waitFor();
    service.advanceTime(13 * 60 * 60 * 1000);
    await page.reload();
    await page.getByLabel('API token').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });
});
