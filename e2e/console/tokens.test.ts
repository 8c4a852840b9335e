import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { readUsage } from '../../server/testing/read-usage.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { findViolations } from '../find-violations.ts';
import { TestSites } from '../test-sites.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole } from './open-console.ts';

const HOSTILE_NAME = `<img src=x onerror="document.title='x'"> ${'W'.repeat(150)}`;

describe('the tokens page', () => {
  it('shows a new secret once; afterwards it is nowhere in the browser', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { path: '/tokens' });
    await page.getByRole('button', { name: 'Create a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Choose at least one' }).waitFor();
    await dialog.getByLabel('read: list and fetch').check();
    await dialog.getByLabel('Name', { exact: true }).fill(HOSTILE_NAME);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('This is shown only now').waitFor();
    await assertPageFits(page, 'a new secret');
    const secret = await dialog.locator('code').innerText();
    assert.match(secret, /^cloche_sk_/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: HOSTILE_NAME }).waitFor();
    await assertNowhere(page, secret);

    await page.getByRole('link', { name: HOSTILE_NAME }).click();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByLabel('Grace period').selectOption('3600');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('This is shown only now').waitFor();
    const successor = await dialog.locator('code').innerText();
    assert.notEqual(successor, secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const badge = page.getByText(/replaced, works for \d+ min/);
    await badge.waitFor();
    const first = await badge.innerText();
    await page.waitForFunction((text) => !document.body.innerText.includes(text), first);
    await assertNowhere(page, successor);
    for (const token of [secret, successor]) {
      const { statusCode } = await sendRequest({ ...service, token }, 'GET', '/v1/tokens');
      assert.equal(statusCode, 200);
    }
    assert.deepEqual(errors, []);
  });

  it('counts each view, says what revoking stops, and stops it', async (t) => {
    const sites = await TestSites.open(t);
    const { service, page, errors } = await openConsole(t);
    const design = await uploadTestDesign(service);
    const origins = [sites.getOrigin('shop.test'), sites.getOrigin('blog.test')];
    const { id, token } = await issueToken(service, { origins, name: 'shop' });
    const snippet = await sendRequest(
      service,
      'POST',
      '/embed/iframe/v1',
      { uri: design.uri },
      {
        host: new URL(service.origin).host,
      },
    );
    const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token);
    const shop = await page.context().newPage();
    const view = async (name: string, state: string) => {
      await shop.goto(sites.addPage(name, '/', html));
      await shop.frameLocator('iframe').locator(state).waitFor();
    };
    for (const name of ['shop.test', 'blog.test', 'shop.test'])
      await view(name, 'html[data-state=ready]');
    const counted = await readUsage(service, id, 'by=origin');
    assert.deepEqual(
      counted.map(({ views }) => views),
      [1, 2],
    );
    const bytes = counted.reduce((sum, item) => sum + item.bytes, 0);

    await page.goto(`${service.origin}/console/tokens/${id}`);
    await page.getByText('3 views, ').waitFor();
    const readRows = async (title: string) =>
      (await page.getByRole('region', { name: title }).locator('tbody tr').allInnerTexts()).map(
        (text) => text.split(/\s*[\n\t]\s*/),
      );
    const table = (title: string) => page.getByRole('region', { name: title });
    await table('By origin')
      .getByText(origins[0] ?? '')
      .waitFor();
    await table('By design').getByText('Oak chair').waitFor();
    const byOrigin = await readRows('By origin');
    assert.deepEqual(
      byOrigin.map(([origin, views]) => [origin, views]),
      [
        [origins[0], '2'],
        [origins[1], '1'],
      ],
    );
    for (const row of byOrigin)
      assert.match(row.slice(2).join(' '), /^\d.* (kB|bytes|MB) .*(now|ago) .*(now|ago)$/);
    const [byDesign] = await readRows('By design');
    assert.deepEqual(byDesign?.slice(0, 3), ['Oak chair', design.id, '3']);
    for (const days of ['7', '400']) {
      await page.getByLabel('Days').selectOption(days);
      const plot = page.getByRole('figure', { name: 'Views' });
      await plot.getByText(days === '7' ? 'each day' : 'each 7 days').waitFor();
      const slider = plot.getByRole('slider');
      assert.match(
        (await slider.getAttribute('aria-valuetext')) ?? '',
        /^\w+ \d+, \d{4}: Views 3$/,
      );
      await plot.getByText('Show as a table').click();
      await plot
        .getByRole('row')
        .nth(days === '7' ? 7 : 57)
        .getByText('3', { exact: true })
        .waitFor();
      await plot.getByText('Show as a table').click();
    }
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n');
    assert.equal(lines[0], 'day,origin,design,views,bytes,firstSeenAt,lastSeenAt');
    const cells = lines.slice(1).map((line) => line.split(','));
    const sum = (column: number) => cells.reduce((total, row) => total + Number(row[column]), 0);
    assert.deepEqual([sum(3), sum(4)], [3, bytes]);

    await assertPageFits(page, 'the usage of a token');
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${origins[0]}: 2`).waitFor();
    await dialog.getByText(`${origins[1]}: 1`).waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The token was revoked.').waitFor();
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor({ state: 'detached' });
    await view('shop.test', 'details');
    assert.deepEqual(errors, []);
  });

  it('changes limits; reports a change of someone else; the last issuer needs a confirmation', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await issueToken(service, { name: 'shop' });
    await page.goto(`${service.origin}/console/tokens/${id}`);
    const origins = page.getByLabel('Origins', { exact: true });
    const save = page.getByRole('button', { name: 'Save' });
    await origins.fill('shop.example www.shop.example');
    await save.click();
    await page.getByText('The token was changed.').waitFor();
    await origins.fill('https://third.example');
    await sendRequest(service, 'PATCH', `/v1/tokens/${id}`, { name: 'renamed' });
    await save.click();
    await page.getByText('Someone else has changed the token').waitFor();
    const { name, origins: stored } = (
      await sendRequest(service, 'GET', `/v1/tokens/${id}`)
    ).json();
    assert.deepEqual(
      [name, stored],
      ['renamed', ['https://shop.example', 'https://www.shop.example']],
    );
    const nameField = page.getByLabel('Name', { exact: true });
    assert.equal(await nameField.inputValue(), 'renamed');
    await nameField.fill('');
    await save.click();
    await page.getByRole('heading', { name: 'Token without a name' }).waitFor();
    assert.equal((await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json().name, '');

    await page.goto(`${service.origin}/console/tokens`);
    await page.getByText('you are signed in with it').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'you are signed in' })
      .getByRole('link')
      .click();
    // The browser stays signed in with the successor of its token.
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Replace' }).click();
    await dialog.getByText('this browser stays signed in').waitFor();
    await dialog.getByLabel('Grace period').selectOption('0');
    // What the former session has requested is answered when the new one has begun, and does not end it.
    const replaced = Promise.withResolvers<void>();
    await page.route('**/v1/sessions/current', async (route) => {
      await replaced.promise;
      await route.continue();
    });
    const checking = page.waitForRequest('**/v1/sessions/current');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await checking;
    await dialog.getByRole('button', { name: 'Replace' }).click();
    const successor = await dialog.locator('code').innerText();
    const checked = page.waitForResponse('**/v1/sessions/current');
    replaced.resolve();
    await checked;
    await page.unroute('**/v1/sessions/current');
    assert.equal((await sendRequest(service, 'GET', '/v1/tokens')).statusCode, 401);
    const asSuccessor = { ...service, token: successor };
    assert.equal((await sendRequest(asSuccessor, 'GET', '/v1/tokens')).statusCode, 200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await issueToken(asSuccessor, { name: 'child' });
    await page.goto(`${service.origin}/console/tokens`);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'you are signed in' })
      .getByRole('link')
      .first()
      .click();

    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByLabel('Revoke it nevertheless').check();
    await dialog.getByLabel('Also revoke the tokens').check();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alert').filter({ hasText: 'revoked' }).waitFor();
    assert.deepEqual(errors, []);
  });

  it('limits a token to designs that are chosen by name, with the keyboard', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const designs = [];
    for (const name of ['Oak chair', HOSTILE_NAME, 'Lamp'])
      designs.push(await uploadTestDesign(service, name, makeBox()));
    const [chair, hostile, lamp] = designs;
    const parent = await issueToken(service, {
      capabilities: ['read', 'write', 'embed'],
      origins: [],
      name: 'parent',
    });
    const { id } = await issueToken(
      { ...service, token: parent.token },
      { name: HOSTILE_NAME, designs: [chair?.id ?? ''] },
    );
    await page.goto(`${service.origin}/console/tokens/${id}`);
    const designLink = page.getByRole('link', { name: 'Oak chair', exact: true });
    assert.equal(await designLink.getAttribute('href'), `/console/designs/${chair?.id}`);
    const issuer = page.getByRole('link', { name: 'parent', exact: true });
    assert.equal(await issuer.getAttribute('href'), `/console/tokens/${parent.id}`);

    const input = page.getByRole('combobox', { name: 'Designs', exact: true });
    await input.focus();
    await page.keyboard.type('img src');
    const found = page.getByRole('listbox').getByRole('option');
    await found.filter({ hasText: '<img src=x' }).waitFor();
    await found.nth(1).waitFor({ state: 'detached' });
    assert.deepEqual(await findViolations(page.mainFrame()), []);
    await page.keyboard.press('Enter');
    const chips = page.getByRole('toolbar', { name: 'Chosen designs' });
    await chips.getByText('<img src=x').waitFor();
    // The id of a design is found too.
    await page.keyboard.type(lamp?.id ?? '');
    await page.getByRole('option', { name: 'Lamp' }).waitFor();
    await page.keyboard.press('Enter');
    await chips.getByText('Lamp').waitFor();
    await page.keyboard.press('Escape');
    await chips.getByRole('button', { name: 'Remove Oak chair' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The token was changed.').waitFor();
    const read = async () => (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json().designs;
    assert.deepEqual(await read(), [hostile?.id, lamp?.id]);

    // Removing the last design does not give the token access to all designs.
    await input.focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'Choose at least one design' }).waitFor();
    assert.deepEqual(await read(), [hostile?.id, lamp?.id]);

    await page.goto(`${service.origin}/console/tokens`);
    const item = page.getByRole('listitem').filter({ hasText: HOSTILE_NAME });
    await item.getByRole('link', { name: 'parent' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText(HOSTILE_NAME).waitFor();
    assert.equal(await page.evaluate('document.title'), 'parent · Cloche');
    assert.deepEqual(errors, []);
  });

  it('offers no change to a session that can only read', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
    await signInToConsole(page, reader.token);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByText('you are signed in with it').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create a token' }).count(), 0);
    await page.goto(`${service.origin}/console/tokens/${reader.id}`);
    await page.getByText('No embed was opened').waitFor();
    for (const name of ['Replace', 'Revoke', 'Save'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    assert.deepEqual(errors, []);
  });

  it('fits every screen with one token and many', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { path: '/tokens' });
    await page.getByText('you are signed in with it').waitFor();
    await assertPageFits(page, 'one token');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByRole('dialog').waitFor();
    await assertPageFits(page, 'a new token');
    const parent = await issueToken(service, {
      capabilities: ['read', 'write', 'embed'],
      origins: [],
    });
    await issueToken({ ...service, token: parent.token }, { name: 'shop' });
    await page.reload();
    await page.getByText('3 tokens').waitFor();
    await assertPageFits(page, 'few tokens');
    for (let index = 0; index < 210; index += 1)
      await issueToken({ ...service, token: parent.token }, { name: `${index} ${HOSTILE_NAME}` });
    await page.reload();
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await assertPageFits(page, 'many tokens');
    await page.goto(`${service.origin}/console/tokens/${parent.id}`);
    await page.getByText('No embed was opened').waitFor();
    await assertPageFits(page, 'one token in full');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor();
    await assertPageFits(page, 'the question before a token is revoked');
    assert.deepEqual(errors, []);
  });
});

/** Fails if a secret is in the elements and fields of the page, its storages, its cookies, its address or its history. */
async function assertNowhere(page: Page, secret: string): Promise<void> {
  const text = secret.slice(10);
  const cookies = JSON.stringify(await page.context().cookies());
  const readable = await page.evaluate(() => [
    document.documentElement.outerHTML,
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
    JSON.stringify(history.state),
    ...[...document.querySelectorAll('input, textarea')].map(
      (field) => (field as HTMLInputElement).value,
    ),
  ]);
  for (const place of [cookies, page.url(), ...readable])
    assert.ok(!place.includes(text), place.slice(0, 100));
}
