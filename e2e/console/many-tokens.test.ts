import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueToken, openServerDatabase, uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole, withoutStatus } from './open-console.ts';

const TOKENS = 210;

describe('many tokens', () => {
  it('revoking says what stops, also of the tokens that the token has created', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const parent = await issueToken(service, {
      capabilities: ['read', 'write', 'embed'],
      origins: [],
      name: 'parent',
    });
    const issuer = { ...service, token: parent.token };
    const child = await issueToken(issuer, { name: 'first child' });
    for (let index = 1; index < TOKENS; index += 1) await issueToken(issuer, { name: `${index}` });
    const database = openServerDatabase(t, service);
    const now = new Date().toISOString();
    const rows = Array.from(
      { length: 25 },
      (_, index) =>
        `('${child.id}', 'https://${index}.example', '${now.slice(0, 10)}', 'd', ${index + 1}, 5, '${now}', '${now}')`,
    );
    database.exec(
      `INSERT INTO embed_usage (token_id, origin, day, design_id, views, bytes, first_seen_at, last_seen_at) VALUES ${rows}`,
    );

    await page.goto(`${service.origin}/console/tokens/${parent.id}`);
    const held = Promise.withResolvers<void>();
    await page.route('**/usage?by=origin**', async (route) => {
      await held.promise;
      await route.fulfill({ status: 503, json: { code: 'server.unavailable', title: 'Down' } });
    });
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Loading…').waitFor();
    const button = dialog.getByRole('button', { name: 'Revoke' });
    assert.equal(await button.getAttribute('aria-disabled'), 'true', 'while it is read');
    held.resolve();
    await dialog.getByText('It is not known what this would stop.').waitFor();
    await page.unroute('**/usage?by=origin**');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('No page has shown an embed').waitFor();

    await dialog.getByLabel(`Also revoke the tokens that it has created (${TOKENS})`).check();
    await dialog.getByText(`${(25 * 26) / 2} views in the last 30 days`).waitFor();
    await dialog.getByText('https://24.example: 25').waitFor();
    await dialog.getByText('and 5 more').waitFor();
    await button.click();
    await page.getByText('The token was revoked.').waitFor();
    const { count } = database
      .prepare('SELECT count(*) AS count FROM token WHERE revoked_at IS NULL')
      .get() as { count: number };
    assert.equal(count, 1, 'only the token of the session remains');
    assert.deepEqual(withoutStatus(errors, 503), []);
  });

  it('the list and the builder find tokens on all pages of the API', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const design = await uploadTestDesign(service);
    const issuer = await issueToken(service, {
      capabilities: ['read', 'write', 'embed'],
      origins: [],
      name: 'issuer',
    });
    const old = { ...service, token: issuer.token };
    await issueToken(old, { name: 'the oldest', origins: ['https://old.example'] });
    for (let index = 0; index < TOKENS; index += 1) await issueToken(service, { name: `${index}` });
    await issueToken(old, { name: 'the newest', origins: ['https://new.example'] });
    await page.goto(`${service.origin}/console/tokens`);
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await page.getByLabel('Search').fill('NEW.example');
    await page.getByText('1 token', { exact: true }).waitFor();
    const item = page.getByRole('listitem').filter({ hasText: 'the newest' });
    await item.getByText('Created by').waitFor();
    await item.getByRole('link', { name: 'issuer' }).waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Kind').selectOption('secret');
    await page.getByText('2 tokens', { exact: true }).waitFor();

    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    await page.getByLabel('Addresses of your pages').fill('https://old.example');
    await page.getByRole('radio', { name: /the oldest/ }).waitFor();
    assert.deepEqual(errors, []);
  });
});
