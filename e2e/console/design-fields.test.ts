import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';

const HOSTILE_NAME = `<img src=x onerror=alert(1)> \u05d0 ${'W'.repeat(150)}`;

describe('the fields of a design', () => {
  it('changes fields, and tells when another tab has changed them', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/designs/${id}`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill(HOSTILE_NAME);
    const save = page.getByRole('button', { name: 'Save the details' });
    await save.click();
    await page.getByRole('heading', { name: HOSTILE_NAME }).waitFor();
    await page.getByLabel('Largest number of triangles').fill('many');
    await save.click();
    const field = page.locator('.field', { hasText: 'Largest number of triangles' });
    await field.getByRole('alert').waitFor();
    await page.getByLabel('Largest number of triangles').fill('5000');
    await page.getByLabel('Largest size of a texture').selectOption('4096 pixels');
    await page.getByRole('textbox', { name: 'Tags' }).fill('oak, solid');
    await save.click();
    await save.waitFor({ state: 'detached' });
    const read = async (): Promise<Design> =>
      (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    const { tags, maxTriangles, maxTextureSize } = await read();
    assert.deepEqual([tags, maxTriangles, maxTextureSize], [['oak, solid'], 5000, 4096]);
    await page.getByLabel('Largest size of a texture').selectOption('Default of the service');
    await save.click();
    await save.waitFor({ state: 'detached' });
    assert.equal((await read()).maxTextureSize, null);

    await name.fill('From this tab');
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'From another tab' });
    // The change is shown at once. What is typed stays, and does not replace it.
    await page.getByRole('heading', { name: 'From another tab' }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'changed elsewhere' }).waitFor();
    assert.equal(await name.inputValue(), 'From this tab');
    await save.click();
    await page.getByRole('alert').filter({ hasText: 'changed elsewhere' }).waitFor();
    assert.equal((await read()).name, 'From another tab');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).waitFor({ state: 'detached' });
    assert.equal(await name.inputValue(), 'From another tab');

    await page.getByLabel('Description').fill('From this tab');
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'Changed again' });
    await page.getByRole('button', { name: 'Apply my changes to it' }).click();
    await save.click();
    await save.waitFor({ state: 'detached' });
    const merged = await read();
    assert.deepEqual([merged.name, merged.description], ['Changed again', 'From this tab']);
    assert.deepEqual(errors, []);
  });

  it('keeps any text in tags and metadata, and edits them with the keyboard', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    const fields = {
      description: 'One\nTwo, three: four\n',
      tags: ['oak, solid', 'a:b', ',', HOSTILE_NAME.slice(0, 60)],
      metadata: { 'a:b': 'c: d, e', 'a: b': ' \n<b>\n', 'key\nof two lines': '', ' ': ',' },
    };
    const url = `/v1/designs/${id}`;
    const patched = await sendRequest(service, 'PATCH', url, fields);
    assert.equal(patched.statusCode, 200, patched.body);
    const read = async () => {
      const design: Design = (await sendRequest(service, 'GET', url)).json();
      const { name, description, tags, metadata } = design;
      return { name, description, tags, metadata };
    };
    // The styles of the list stay in the page of the design.
    await page.goto(`${service.origin}/console/designs`);
    await page.locator('.design-card h2').getByRole('link').click();
    const save = page.getByRole('button', { name: 'Save the details' });
    const isTagListClipped = await page
      .getByRole('list', { name: 'Tags' })
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight);
    assert.equal(isTagListClipped, false);
    const submit = async () => {
      await save.click();
      await save.waitFor({ state: 'detached' });
    };
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await submit();
    assert.deepEqual(await read(), { name: 'Renamed', ...fields });

    // Another tag and another pair, which are sent with those that were there.
    const input = page.getByRole('textbox', { name: 'Tags' });
    await input.fill('x, y: z');
    await input.press('Enter');
    await page.getByRole('button', { name: 'Remove the tag a:b' }).press('Enter');
    assert.equal(await input.evaluate((element) => element === document.activeElement), true);
    await page.getByRole('button', { name: 'Add a pair' }).press('Enter');
    const key = page.getByLabel('Key 5');
    assert.equal(await key.evaluate((element) => element === document.activeElement), true);
    await key.fill('a:b');
    await page.getByLabel('Value 5').fill('first\nsecond');
    await save.click();
    await page.getByRole('alert').filter({ hasText: 'Two pairs have the key "a:b"' }).waitFor();
    await key.fill('new: key');
    await page.getByRole('button', { name: 'Remove pair 2' }).click();
    await submit();
    const { 'a: b': _removed, ...metadata } = fields.metadata;
    assert.deepEqual(await read(), {
      name: 'Renamed',
      description: fields.description,
      tags: [...fields.tags.filter((tag) => tag !== 'a:b'), 'x, y: z'],
      metadata: { ...metadata, 'new: key': 'first\nsecond' },
    });
    assert.deepEqual(errors, []);
  });
});
