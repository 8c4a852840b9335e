import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getFramedDocument, IFRAME_HEADERS } from '../../server/testing/get-framed-document.ts';
import {
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

describe('the page of a token', () => {
  it('sends only what was changed, so an end keeps its milliseconds', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString().replace(/\d{3}Z/, '123Z');
    const { id } = await issueToken(service, { name: 'shop', expiresAt });
    await page.goto(`${service.origin}/console/tokens/${id}`);
    const save = async (message: string) => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').filter({ hasText: message }).waitFor();
    };
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postDataJSON());
    });
    await page.getByLabel('Name', { exact: true }).fill('renamed');
    await save('The token was changed.');
    const { name, expiresAt: stored } = (
      await sendRequest(service, 'GET', `/v1/tokens/${id}`)
    ).json();
    assert.deepEqual([name, stored], ['renamed', expiresAt]);
    await save('Nothing was changed.');
    await page.getByLabel('Ends at').fill('');
    await save('The token was changed.');
    assert.deepEqual(sent, [{ name: 'renamed' }, { expiresAt: null }]);
    assert.deepEqual(errors, []);
  });

  it('says which pages still use a token that was replaced', async (t) => {
    const { service, page } = await openConsole(t);
    const design = await uploadTestDesign(service);
    const { id, token } = await issueToken(service, { name: 'shop' });
    await page.goto(`${service.origin}/console/tokens/${id}`);
    await page.getByText('Last used').waitFor();
    assert.equal(await page.getByText('sed from').count(), 0);
    await sendRequest(service, 'POST', `/v1/tokens/${id}/rotate`, {});
    await page.reload();
    await page.getByText('no page, since it was replaced').waitFor();
    const { statusCode } = await getFramedDocument(service, design.id, token, {
      ...IFRAME_HEADERS,
      host: new URL(service.origin).host,
    });
    assert.equal(statusCode, 200);
    await page.reload();
    await page.getByText('Still used from').waitFor();
    const age = '(just now|\\d+ minutes? ago)';
    await page.getByText(new RegExp(`${RegExp.escape(SHOP_ORIGIN)} · ${age}`)).waitFor();
    await assertPageFits(page, 'a token that is still used');
  });
});
