import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreatedToken } from '@cloche/contract/token';
import { issueToken, sendRequest } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole } from './open-console.ts';

const DAY_MS = 24 * 3_600_000;
const ISSUER = { capabilities: ['read', 'write'], origins: [] };

describe('a session whose token ends', () => {
  it('offers no token that ends later', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    const expiresAt = new Date(Date.now() + 30 * DAY_MS).toISOString();
    const issuer = await issueToken(service, { ...ISSUER, expiresAt, name: 'issuer' });
    await signInToConsole(page, issuer.token);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Create a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('read: list and fetch').check();
    const end = dialog.getByLabel('Ends at');
    const latest = await end.inputValue();
    assert.equal(latest, await end.getAttribute('max'));
    await dialog.getByText('Your own token ends at').waitFor();

    const posts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url());
    });
    const submit = dialog.getByRole('button', { name: 'Create token' });
    for (const text of ['', `${new Date().getFullYear() + 2}-01-01T00:00:00`]) {
      await end.fill(text);
      await submit.click();
      await dialog.getByRole('alert').filter({ hasText: 'Choose a time until' }).waitFor();
    }
    await assertPageFits(page, 'a token that would end too late');
    assert.deepEqual(posts, [], 'nothing is sent that would be refused');
    await end.fill(latest);
    await submit.click();
    await page.getByText('This is shown only now').waitFor();
    const token = await dialog.locator('code').innerText();
    const asChild = { ...service, token };
    const { items } = (await sendRequest(asChild, 'GET', '/v1/tokens')).json();
    const child = items.find((item: CreatedToken) => item.issuedBy === issuer.id);
    assert.equal(child.expiresAt, expiresAt);
    assert.deepEqual(errors, []);
  });

  it('without an end offers tokens without an end', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { path: '/tokens' });
    await page.getByRole('button', { name: 'Create a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('read: list and fetch').check();
    assert.equal(await dialog.getByLabel('Ends at').inputValue(), '');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('This is shown only now').waitFor();
    const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    assert.deepEqual(
      items.map((item: CreatedToken) => item.expiresAt),
      [null, null],
    );
    assert.deepEqual(errors, []);
  });
});
