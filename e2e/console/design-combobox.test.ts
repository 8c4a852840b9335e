import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

describe('the choice of designs in a dialog', () => {
  it('hides nothing of the dialog, and closes when the field is left', async (t) => {
    const { service, page, errors } = await openConsole(t);
    for (const name of ['Oak chair', 'Oak table', 'Lamp']) await uploadTestDesign(service, name);
    await page.goto(`${service.origin}/console/tokens`);
    await page.getByRole('button', { name: 'Create a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('only designs that you choose').check();
    const field = dialog.getByRole('combobox', { name: 'Designs', exact: true });
    const list = dialog.getByRole('listbox');
    await field.click();
    await list.getByRole('option').nth(2).waitFor();
    await assertPageFits(page, 'the choice of designs');
    await list.getByText('Lamp').click();
    const chips = dialog.getByRole('toolbar', { name: 'Chosen designs' });
    await chips.getByText('Lamp').waitFor();
    await field.fill('Oak');
    await list.getByRole('option').nth(2).waitFor({ state: 'detached' });
    await list.getByText('Oak table').click();
    await chips.getByText('Oak table').waitFor();

    await field.fill('Oak');
    await list.waitFor();
    await page.keyboard.press('Tab');
    await list.waitFor({ state: 'detached' });
    assert.equal(await field.evaluate((input) => input === document.activeElement), false);
    await field.click();
    await list.waitFor();
    await dialog.getByLabel('Name', { exact: true }).click();
    await list.waitFor({ state: 'detached' });
    await field.click();
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await chips.getByText('Oak table').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(errors, []);
  });
});
