import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { LOOPBACK_FETCHING, openPageServer } from '../../server/testing/page-server.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { moveTo, openPage } from './move-focus.ts';
import { openConsole, signInToConsole } from './open-console.ts';

/** 1440 px at a zoom of 200 %. */
const VIEW = { width: 720 };

describe('more tasks with the keyboard alone', () => {
  it('adds a tag to two designs', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, VIEW);
    for (const name of ['Chair', 'Lamp', 'Table']) await uploadTestDesign(service, name);
    await page.getByText('3 designs').waitFor();
    for (const name of ['Chair', 'Table']) {
      await moveTo(page, page.getByLabel(`Select ${name}`, { exact: true }));
      await page.keyboard.press('Space');
    }
    await page.getByText('2 selected').waitFor();
    await moveTo(page, page.getByRole('button', { name: 'Add tag' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await moveTo(page, dialog.getByLabel('Tag'));
    await page.keyboard.insertText('oak');
    await moveTo(page, dialog.getByRole('button', { name: 'Add tag' }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const { items } = (await sendRequest(service, 'GET', '/v1/designs?tag=oak&sort=name')).json();
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ['Chair', 'Table'],
    );
    assert.deepEqual(errors, []);
  });

  it('goes back to an older revision', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, VIEW);
    const { id } = await uploadTestDesign(service, 'Chair');
    const model = makeBox({ name: 'B' });
    await sendRequest(service, 'PUT', `/v1/designs/${id}/model`, model, GLB_HEADERS);
    const read = async () => (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    assert.equal((await read()).revision, 2);
    await moveTo(page, page.locator('.card-name').getByRole('link', { name: 'Chair' }));
    await page.keyboard.press('Enter');
    await moveTo(page, page.getByRole('button', { name: 'Show revision 1' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await moveTo(page, dialog.getByRole('button', { name: 'Show it' }));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show revision 2' }).waitFor();
    assert.equal((await read()).revision, 1);
    assert.deepEqual(errors, []);
  });

  it('checks a page', async (t) => {
    const shop = await openPageServer(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>No embeds.</p>');
    });
    const options = { pageFetching: LOOPBACK_FETCHING };
    const { page, errors } = await openConsole(t, options, VIEW);
    await openPage(page, 'Check a page');
    await moveTo(page, page.getByLabel('URL of the page'));
    await page.keyboard.insertText(`${shop.origin}/chairs`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Result No embeds' }).waitFor();
    // What is read next is the result.
    await page.locator('h2:focus').waitFor();
    await moveTo(page, page.getByRole('button', { name: 'Check again' }));
    await page.keyboard.press('Enter');
    await page.locator('h2:focus').waitFor();
    assert.equal(shop.requestCount(), 2);
    assert.deepEqual(errors, []);
  });

  it('adds a user', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, VIEW);
    await openPage(page, 'Operator');
    await moveTo(page, page.getByRole('link', { name: 'Users' }));
    await page.keyboard.press('Enter');
    const add = page.getByRole('button', { name: 'Add a user' });
    await moveTo(page, add);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await moveTo(page, dialog.getByLabel('Name'));
    await page.keyboard.insertText('anna');
    await page.keyboard.press('Enter');
    await dialog.getByText('anna was added').waitFor();
    await moveTo(page, dialog.getByRole('button', { name: 'Copy' }));
    await page.keyboard.press('Enter');
    await dialog.getByText('Copied', { exact: true }).waitFor();
    await moveTo(page, dialog.getByRole('button', { name: 'Done' }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'anna' }).waitFor();
    await page.waitForFunction(
      (text) => document.activeElement?.textContent === text,
      await add.innerText(),
    );
    const { items } = (await sendRequest(service, 'GET', '/v1/users')).json();
    assert.ok(items.some(({ name }: { name: string }) => name === 'anna'));
    assert.deepEqual(errors, []);
  });

  it('ends the session of another browser', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, VIEW);
    const context = await page.context().browser()?.newContext();
    assert.ok(context);
    const other = await context.newPage();
    await other.goto(`${service.origin}/console`);
    await signInToConsole(other, service.token);
    await openPage(page, 'Sessions');
    const session = page.locator('li.session').filter({ hasNotText: 'this browser' });
    await moveTo(page, session.getByRole('button', { name: 'End the session of' }));
    await page.keyboard.press('Enter');
    await page.getByText('The session was ended.').waitFor();
    await page.getByText('No other browser').waitFor();
    await other.getByLabel('API token').waitFor();
    assert.deepEqual(errors, []);
  });
});
