/** Actions that the signed-in token may not perform are not offered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenList } from '@cloche/contract/token';
import { issueToken, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole } from './open-console.ts';

describe('what the console offers', () => {
  it('a token for one design: no upload, no token for all designs, no pages of operators', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    const { id } = await uploadTestDesign(service, 'Oak chair');
    await uploadTestDesign(service, 'Pine chair');
    const limits = { capabilities: ['read', 'write', 'embed'], origins: [], designs: [id] };
    const { token } = await issueToken(service, limits);
    await signInToConsole(page, token);
    await page.getByRole('link', { name: 'Oak chair' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Pine chair' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Upload/ }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0);
    await page.goto(`${service.origin}/console/embed?design=${id}`);
    await page.getByRole('radio', { name: 'only this design' }).waitFor();
    assert.equal(await page.getByRole('radio', { name: 'all my designs' }).count(), 0);

    // Signed in without limits, all of them are offered.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInToConsole(page, service.token);
    await page.getByRole('radio', { name: 'all my designs' }).waitFor();
    await page.getByRole('link', { name: 'Operator' }).waitFor();
    await page.getByRole('link', { name: 'Designs', exact: true }).click();
    await page.getByRole('button', { name: 'Upload files' }).waitFor();
    assert.deepEqual(errors, []);
  });

  it('a token for some designs and origins: a new token begins with its limits', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    const { id } = await uploadTestDesign(service, 'Oak chair');
    const limits = { origins: ['https://shop.example'], designs: [id] };
    const capabilities = ['read', 'write', 'embed'];
    const { id: issuedBy, token } = await issueToken(service, { capabilities, ...limits });
    await signInToConsole(page, token);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Create a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Oak chair').waitFor();
    assert.equal(await dialog.getByRole('radio', { name: /^all designs/ }).count(), 0);
    await dialog.getByLabel('read: list and fetch').check();
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('This is shown only now').waitFor();
    const { items }: TokenList = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    const created = items.find((item) => item.issuedBy === issuedBy);
    assert.deepEqual([created?.origins, created?.designs], [limits.origins, limits.designs]);

    await sendRequest(service, 'DELETE', `/v1/designs/${id}`);
    await page.goto(`${service.origin}/console/embed`);
    await page.getByText('You have no designs yet').waitFor();
    assert.equal(await page.getByRole('link', { name: /^Upload/ }).count(), 0);
    assert.deepEqual(errors, []);
  });

  it('a token without "read": one page says what it may do', async (t) => {
    const view = { signedIn: false };
    const { service, page, errors } = await openConsole(t, {}, view);
    const { token } = await issueToken(service, { capabilities: ['write'], origins: [] });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await signInToConsole(page, token);
    await page.getByRole('heading', { name: 'What your token may do' }).waitFor();
    await page.getByText('write: create, change and delete').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Upload/ }).count(), 0);
    assert.equal(await page.getByRole('alert').count(), 0);
    await assertPageFits(page, 'a token without "read"');
    await page.getByRole('button', { name: 'Sign in with another token' }).click();
    await page.getByLabel('API token').waitFor();
    assert.deepEqual([refused, errors], [[], []]);
  });
});
