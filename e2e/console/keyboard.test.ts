import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { issueToken, sendRequest } from '../../server/testing/requests.ts';
import { moveTo, openPage } from './move-focus.ts';
import { openConsole } from './open-console.ts';

/** 1440 px at a zoom of 200 %. */
const ZOOMED_WIDTH = 720;

describe('the console with the keyboard alone', () => {
  it('signs in, uploads a file, creates a token and copies the HTML', async (t) => {
    const view = { width: ZOOMED_WIDTH, signedIn: false };
    const { service, page, errors } = await openConsole(t, {}, view);
    await moveTo(page, page.getByLabel('API token'));
    await page.keyboard.insertText(service.token);
    await page.keyboard.press('Enter');

    await page.getByText('You have no designs yet.').waitFor();
    // Before the focus moves: the browser needs a moment until it passes file choosers on.
    const choice = page.waitForEvent('filechooser');
    await moveTo(page, page.getByRole('button', { name: 'Upload files' }));
    await page.keyboard.press('Enter');
    // The dialog of the system is not a part of the page.
    await (await choice).setFiles(join(import.meta.dirname, '../../demo/sample.glb'));
    await page.getByText('1 of 1 upload finished').waitFor();
    await moveTo(page, page.locator('.card-name').getByRole('link', { name: 'sample' }));
    await page.keyboard.press('Enter');
    await moveTo(page, page.locator('main').getByRole('link', { name: 'Embed' }));
    await page.keyboard.press('Enter');

    await moveTo(page, page.getByLabel('Addresses of your pages'));
    await page.keyboard.insertText('shop.example');
    await page.getByText('https://shop.example', { exact: true }).waitFor();
    await moveTo(page, page.getByRole('button', { name: 'Create token' }));
    await page.keyboard.press('Enter');
    await page.getByText('The token is in the code below.').waitFor();
    const code = page.getByRole('tabpanel', { name: 'HTML' });
    await code.getByText('cloche_pk_').waitFor();
    await moveTo(page, code.getByRole('button', { name: 'Copy' }));
    await page.keyboard.press('Enter');
    await code.getByText('Copied').waitFor();

    const address = page.getByLabel('Address of your page', { exact: true });
    await moveTo(page, address);
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+V');
    await page.waitForFunction(() =>
      document.querySelector<HTMLInputElement>('input:focus')?.value.startsWith('<iframe'),
    );
    assert.match(await address.inputValue(), /^<iframe src="[^"]*token=cloche_pk_.*<\/iframe>$/);
    assert.deepEqual(errors, []);
  });

  it('revokes a token and changes the log level', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { width: ZOOMED_WIDTH });
    const { id } = await issueToken(service, { name: 'Fair' });
    await openPage(page, 'Tokens');
    await moveTo(page, page.getByRole('link', { name: 'Fair' }));
    await page.keyboard.press('Enter');
    await moveTo(page, page.getByRole('button', { name: 'Revoke' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No page has shown').waitFor();
    await dialog.locator('button[aria-disabled=true]').waitFor({ state: 'detached' });
    await moveTo(page, dialog.getByRole('button', { name: 'Revoke' }));
    await page.keyboard.press('Enter');
    await page.getByText('The token was revoked.').waitFor();
    const { statusCode } = await sendRequest(service, 'GET', `/v1/tokens/${id}`);
    assert.equal(statusCode, 404);

    await openPage(page, 'Operator');
    await moveTo(page, page.getByLabel('Lines of lower levels'));
    let requestCount = 0;
    page.on('request', (request) => {
      if (request.method() === 'PUT') requestCount += 1;
    });
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key);
    await moveTo(page, page.getByRole('button', { name: 'Apply' }));
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'The log level is debug.' }).waitFor();
    assert.equal(requestCount, 1);
    assert.deepEqual(errors, []);
  });
});
