import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../scripts/wait-until.ts';
import type { TestServer } from '../../server/testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, withoutStatus } from './open-console.ts';

const HOSTILE_NAMES = [
  '<img src=x onerror=alert(1)>',
  'right\u202Eto left',
  'W'.repeat(200),
  '"><script>alert(1)</script>',
];

async function uploadMany(service: TestServer, count: number): Promise<Design[]> {
  const designs: Design[] = [];
  for (let index = 1; index <= count; index += 1)
    designs.push(await uploadTestDesign(service, `Chair ${index}`));
  return designs;
}

const read = async (service: TestServer, id: string): Promise<Design> =>
  (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();

describe('the designs in the console', () => {
  it('can be searched, sorted and filtered, in the address of the page', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await page.getByText('You have no designs yet.').waitFor();
    const [first] = await uploadMany(service, 3);
    // The event stream of the page.
    const cards = page.locator('.design-card');
    await cards.nth(2).waitFor();
    await page.getByText('3 designs').waitFor();
    assert.equal(await cards.first().getByRole('heading').innerText(), 'Chair 3');
    await page.getByLabel('Sort by').selectOption('Name, A to Z');
    await cards.first().filter({ hasText: 'Chair 1' }).waitFor();
    await page.getByRole('searchbox').pressSequentially('chair 2');
    await page.getByText('1 design', { exact: true }).waitFor();
    assert.match(page.url(), /\?(?=.*sort=name)(?=.*q=chair(\+|%20)2)/);
    await page.getByRole('searchbox').fill('no such design');
    await page.getByText('No design matches.').waitFor();
    await assertPageFits(page, 'no design matches');
    await page.getByRole('link', { name: 'Clear the search' }).click();
    await page.getByText('3 designs').waitFor();
    await sendRequest(service, 'PATCH', `/v1/designs/${first?.id}`, { tags: ['oak', '12'] });
    await page.getByRole('link', { name: '12' }).click();
    await page.getByText('1 design', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 design', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Tag', { exact: true }).inputValue(), '12');
    assert.deepEqual(errors, []);
  });

  it('an old answer does not replace a newer one', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await uploadMany(service, 2);
    await page.getByText('2 designs').waitFor();
    const old = Promise.withResolvers<void>();
    await page.route(/[?&]q=chair(&|$)/, async (route) => {
      await old.promise;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('searchbox').fill('chair');
    await waitUntil('the search', () => page.url().includes('q=chair'));
    await page.getByRole('searchbox').fill('chair 1');
    await page.getByText('1 design', { exact: true }).waitFor();
    old.resolve();
    await page.unroute(/[?&]q=chair(&|$)/, { behavior: 'wait' } as never);
    await page.getByText('1 design', { exact: true }).waitFor();
    assert.deepEqual(errors, []);
  });

  it('several can be tagged, downloaded and deleted, and what fails is listed', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const designs = await uploadMany(service, 5);
    const [first, second] = designs as [Design, Design];
    await page.getByText('5 designs').waitFor();
    const box = (number: number) => page.getByLabel(`Select Chair ${number}`, { exact: true });
    await box(4).check();
    await box(2).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    assert.deepEqual([await box(3).isChecked(), await box(1).isChecked()], [true, false]);
    await page.getByRole('button', { name: 'Select all shown (5)' }).click();
    await page.getByText('5 selected').waitFor();

    // It has as many tags as a design can have.
    const full = Array.from({ length: 20 }, (_, index) => `tag ${index}`);
    await sendRequest(service, 'PATCH', `/v1/designs/${first.id}`, { tags: full });
    await page.getByRole('button', { name: 'Add tag' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add tag' }).click();
    await dialog.getByText('Enter a tag.').waitFor();
    await dialog.getByLabel('Tag').fill('oak');
    await dialog.getByRole('button', { name: 'Add tag' }).click();
    await dialog.getByText('1 design could not be changed').waitFor();
    await dialog.getByRole('heading', { name: 'Add a tag to 5 designs' }).waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Chair 1' }).waitFor();
    await assertPageFits(page, 'the failures');
    await sendRequest(service, 'PATCH', `/v1/designs/${first.id}`, { tags: [] });
    await dialog.getByRole('button', { name: 'Try these again' }).click();
    await dialog.waitFor({ state: 'detached' });
    for (const { id } of designs) assert.deepEqual((await read(service, id)).tags, ['oak']);

    await box(2).check();
    await page.getByRole('button', { name: 'Download' }).click();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), 'Chair 2.glb');
    assert.deepEqual(await readFile(await file.path()), makeBox({ name: 'Chair 2' }));
    await dialog.waitFor({ state: 'detached' });

    await box(1).check();
    await box(2).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('embeds of them stop working').waitFor();
    await dialog.getByRole('button', { name: 'Delete 2 designs' }).click();
    await page.getByText('3 designs').waitFor();
    const status = async (id: string) =>
      (await sendRequest(service, 'GET', `/v1/designs/${id}`)).statusCode;
    assert.deepEqual([await status(first.id), await status(second.id)], [404, 404]);
    assert.deepEqual(errors, []);
  });

  it('a token that may only read is offered nothing else; hostile names are texts', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    for (const [index, name] of HOSTILE_NAMES.entries()) {
      const { id } = await uploadTestDesign(service, `Chair ${index}`);
      const changed = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, {
        name,
        tags: [name.slice(0, 60)],
      });
      assert.ok([200, 400].includes(changed.statusCode), changed.body);
    }
    const { token } = await issueToken(service, { capabilities: ['read'], origins: [] });
    await page.getByLabel('API token').fill(token);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('4 designs').waitFor();
    await page.getByRole('button', { name: 'Select all shown (4)' }).click();
    await page.getByRole('button', { name: 'Download' }).waitFor();
    for (const name of ['Upload files', 'Upload a folder', 'Delete', 'Add tag', 'Remove tag'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    assert.equal(await page.locator('.design-card img, .design-card script').count(), 0);
    await assertPageFits(page, 'hostile names');
    assert.deepEqual(errors, []);
  });

  it('an error of the service is shown, and the list can be read again', async (t) => {
    const { page, errors } = await openConsole(t, {}, { path: '/designs?sort=nonsense' });
    await page.getByText('You have no designs yet.').waitFor();
    await page.route(/\/v1\/designs\?/, (route) => route.fulfill({ status: 503, body: 'no' }));
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'status 503' }).waitFor();
    await assertPageFits(page, 'an error of the service');
    await page.unroute(/\/v1\/designs\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('You have no designs yet.').waitFor();
    assert.deepEqual(withoutStatus(errors, 503), []);
  });

  it('fits every screen, without accessibility violations', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await page.getByText('You have no designs yet.').waitFor();
    await assertPageFits(page, 'no designs');
    await uploadMany(service, 2);
    await page.getByText('2 designs').waitFor();
    await page.getByLabel('Select Chair 1', { exact: true }).check();
    await assertPageFits(page, 'two designs');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
    await assertPageFits(page, 'the question');
    assert.deepEqual(errors, []);
  });
});
