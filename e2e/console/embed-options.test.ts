import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmbedSnippet } from '@cloche/contract/embed';
import {
  toParameterName,
  VIEWER_OPTION_NAMES,
  type ViewerOptions,
  viewerOptions,
} from '@cloche/contract/viewer-options';
import type { Page } from 'playwright-core';
import { options as optionTexts } from '../../console/src/i18n/en/options.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import type { TestServer } from '../../server/testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { findPixels } from '../../viewer/testing/embedded-viewer.ts';
import { openCodeTab, readEmbedCode } from './embed-code-tabs.ts';
import { openConsole } from './open-console.ts';

/** What the code has for a red background and automatic rotation, in each tab but that for Markdown, which has a link. */
const PARAMETERS = [/auto-rotate=true/, /background=%23ff0000/];
const ATTRIBUTES = [/auto-rotate="true"/, /background="#ff0000"/];
const EXPECTED: Record<string, RegExp[]> = {
  HTML: PARAMETERS,
  'Web component': PARAMETERS,
  JavaScript: [/autoRotate: true/, /background: '#ff0000'/],
  React: PARAMETERS,
  Vue: ATTRIBUTES,
  Svelte: ATTRIBUTES,
  WordPress: PARAMETERS,
  Shopify: PARAMETERS,
  Notion: PARAMETERS,
};
/** A page that shows the background has far more pixels of its color than this. */
const MIN_PIXELS = 5000;

describe('the options of the embed builder', () => {
  it('change the code in all tabs and the live view; the code is that of the API', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const design = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    const view = page.frameLocator('.embed-frame iframe');
    await view.locator('html[data-state=ready]').waitFor();
    assert.equal(await countRedPixels(page), 0);
    await assertCodeOfApi(service, page, design.uri, {});

    await page.getByText('Appearance', { exact: true }).click();
    await page.getByLabel('Background', { exact: true }).fill('#ff0000');
    await page.getByText('Motion and variants', { exact: true }).click();
    await page.getByLabel('Rotate by itself').selectOption('Yes');
    const code = page.getByRole('tabpanel').filter({ hasText: 'auto-rotate=true' });
    await code.filter({ hasText: 'background=%23ff0000' }).waitFor();
    await assertCodeOfApi(service, page, design.uri, { autoRotate: true, background: '#ff0000' });
    const names = await page.getByRole('tab').allInnerTexts();
    assert.deepEqual(names, [...Object.keys(EXPECTED), 'Markdown']);
    for (const [name, patterns] of Object.entries(EXPECTED)) {
      await openCodeTab(page, name);
      for (const pattern of patterns) assert.match(await readEmbedCode(page), pattern, name);
    }

    await view.locator('html[data-state=ready]').waitFor();
    await page.locator('.embed-frame').scrollIntoViewIfNeeded();
    await waitUntil(
      'the live view has the background',
      async () => (await countRedPixels(page)) > MIN_PIXELS,
    );
    const source = await page.locator('.embed-frame iframe').getAttribute('src');
    assert.match(source ?? '', /auto-rotate=true/);

    await page.getByRole('button', { name: 'Reset: Background' }).click();
    await waitUntil('the live view has no background', async () => {
      await view.locator('html[data-state=ready]').waitFor();
      return (await countRedPixels(page)) === 0;
    });
    await assertCodeOfApi(service, page, design.uri, { autoRotate: true });
    assert.deepEqual(errors, []);
  });

  it('have a control for each option of the table, found by its label', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const design = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    await page.getByRole('tab', { name: 'HTML' }).waitFor();
    await page.evaluate(() => {
      for (const group of document.querySelectorAll('details')) group.open = true;
    });
    const options: Record<string, unknown> = {};
    for (const name of VIEWER_OPTION_NAMES) {
      const { kind, example } = viewerOptions[name];
      await setOption(page, optionTexts.labels[name], kind, String(example));
      options[name] = example;
      await waitForCodeOfApi(service, page, design.uri, options);
    }
    const view = page.locator('.embed-frame iframe');
    const source = new URL((await view.getAttribute('src')) ?? '');
    for (const name of VIEWER_OPTION_NAMES)
      assert.equal(source.searchParams.get(toParameterName(name)), String(options[name]));
    assert.deepEqual(errors, []);
  });
});

/** Enters a value of an option into its control. */
async function setOption(page: Page, label: string, kind: string, value: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  switch (kind) {
    case 'boolean':
      await field.selectOption(value === 'true' ? 'Yes' : 'No');
      return;
    case 'choice':
      await field.selectOption(value);
      return;
    case 'words': {
      const words = value.split(' ');
      for (const box of await field.getByRole('checkbox').all())
        await box.setChecked(words.includes((await box.locator('..').innerText()).trim()));
      return;
    }
    case 'orbit':
    case 'position':
      for (const [index, part] of value.split(' ').entries())
        await field.getByRole('textbox').nth(index).fill(part);
      return;
    default:
      await field.fill(value);
  }
}

/** Waits until the code for HTML is what the service returns for the options, byte for byte. */
async function waitForCodeOfApi(
  service: TestServer,
  page: Page,
  uri: string,
  options: object,
): Promise<void> {
  const { html } = await readSnippet(service, uri, options);
  await waitUntil(
    `the code for ${Object.keys(options).at(-1)}`,
    async () => (await readEmbedCode(page)) === html,
  );
}

async function readSnippet(
  service: TestServer,
  uri: string,
  options: object,
): Promise<EmbedSnippet> {
  const headers = { accept: 'application/json', host: new URL(service.origin).host };
  const body = { uri, options };
  const response = await sendRequest(service, 'POST', '/embed/iframe/v1', body, headers);
  assert.equal(response.statusCode, 200, response.body);
  return response.json();
}

/** Waits until the code for HTML, or that for Notion, is what the service returns for the options, byte for byte. */
async function assertCodeOfApi(
  service: TestServer,
  page: Page,
  uri: string,
  options: ViewerOptions,
): Promise<void> {
  const { html, src } = await readSnippet(service, uri, options);
  for (const [name, expected] of [
    ['HTML', html],
    ['Notion', src],
    ['HTML', html],
  ] as const) {
    await openCodeTab(page, name);
    await waitUntil(
      `the code for ${name} is that of the service`,
      async () => (await readEmbedCode(page)) === expected,
    );
  }
}

async function countRedPixels(page: Page): Promise<number> {
  return (await findPixels(page, (red, green, blue) => red > 240 && green < 15 && blue < 15)).count;
}
