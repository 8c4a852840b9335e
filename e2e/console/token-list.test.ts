import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueToken, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';

test('the list of tokens has the kind, scope, lineage and last use of each', async (t) => {
  const { service, page, errors } = await openConsole(t);
  const chair = await uploadTestDesign(service, 'Oak chair');
  const lamp = await uploadTestDesign(service, 'Lamp');
  const capabilities = ['read', 'write', 'embed'];
  const parent = await issueToken(service, { name: 'agency', capabilities, origins: [] });
  const issuer = { ...service, token: parent.token };
  const origins = ['https://shop.example', 'https://*.shop.example'];
  await issueToken(issuer, { name: 'shop', origins, designs: [chair.id, lamp.id] });
  await issueToken(service, { name: 'own' });
  assert.equal((await sendRequest(issuer, 'GET', '/v1/designs')).statusCode, 200);
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  const used = items.find(({ id }: { id: string }) => id === parent.id);
  assert.notEqual(used.lastUsedAt, null);

  await page.goto(`${service.origin}/console/tokens`);
  await page.getByText('4 tokens').waitFor();
  const read = async (name: string) => {
    const item = page.locator('li.token').filter({
      has: page.getByRole('heading', { name, exact: true }),
    });
    const badges = await item.locator('.badge').allInnerTexts();
    const rows = await item.locator('dl > div').allInnerTexts();
    const facts = rows.map((row) => row.split(/\s*\n\s*/));
    const left = (await item.boundingBox())?.x ?? 0;
    return { badges, facts, left };
  };
  const [agency, shop, own] = [await read('agency'), await read('shop'), await read('own')];
  const lastUsed = new Map(agency.facts.map(([name, value]) => [name, value])).get('Last used');
  assert.match(lastUsed ?? '', /^(just now|\d+ minutes? ago)$/);
  assert.deepEqual(
    [agency.badges, agency.facts],
    [
      ['secret', 'active'],
      [
        ['May', 'read, write, embed'],
        ['Origins', 'none: for servers only'],
        ['Designs', 'all'],
        ['Last used', lastUsed ?? ''],
        ['Created by', 'bootstrap token'],
      ],
    ],
  );
  assert.deepEqual(
    [shop.badges, shop.facts],
    [
      ['public', 'active'],
      [
        ['May', 'embed'],
        ['Origins', ...origins],
        ['Designs', '2'],
        ['Last used', 'never'],
        ['Created by', 'agency'],
      ],
    ],
  );
  // A token is below the one that created it, and indented.
  assert.ok(shop.left > agency.left && agency.left === own.left);
  const names = await page.locator('li.token').getByRole('heading').allInnerTexts();
  assert.equal(names.indexOf('shop'), names.indexOf('agency') + 1);
  assert.deepEqual(errors, []);
});
