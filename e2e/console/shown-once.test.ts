import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openConsole } from './open-console.ts';

/** Fails if Escape or a click beside the dialog closes it. */
async function assertStaysOpen(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  const text = await dialog.getByRole('group').innerText();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  // A key that reaches the page now comes after the dialog has handled both.
  await page.keyboard.press('Escape');
  assert.equal(await dialog.getByRole('group').innerText(), text);
  assert.equal(await dialog.evaluate((element) => element.hasAttribute('data-open')), true);
}

describe('what the console shows only once', () => {
  it('a token stays until its button is used', async (t) => {
    const { page, errors } = await openConsole(t, {}, { path: '/tokens' });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create a token' }).click();
    // A key before that is not for the dialog.
    await page.locator('[role=dialog]:focus-within').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create a token' }).click();
    await dialog.getByLabel('read: list and fetch').check();
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('This is shown only now').waitFor();
    await assertStaysOpen(page);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(errors, []);
  });

  it('a link to sign in stays until its button is used', async (t) => {
    const { page, errors } = await openConsole(t, {}, { path: '/operator/users' });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await dialog.getByLabel('Name').fill('anna');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('anna was added').waitFor();
    await assertStaysOpen(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Sign-in link for anna' }).click();
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    await dialog.getByRole('group').waitFor();
    await assertStaysOpen(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(errors, []);
  });
});
