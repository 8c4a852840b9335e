import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { Page } from 'playwright-core';
import { LOOPBACK_FETCHING, openPageServer } from '../../server/testing/page-server.ts';
import { issueToken, openServerDatabase, sendRequest } from '../../server/testing/requests.ts';
import { openCodeTab, readEmbedCode } from './embed-code-tabs.ts';
import {
  findEffects,
  HOSTILE_FIELD,
  HOSTILE_FILE_NAME,
  HOSTILE_OBJ,
  HOSTILE_TEXT,
  makeHostileNamesGlb,
  recordViolations,
} from './hostile-names.ts';
import { openConsole } from './open-console.ts';

const NAME = HOSTILE_FIELD.slice(0, 200);

describe('hostile text', () => {
  it('in a file and its name is shown as text, on every page of the console', async (t) => {
    const modelProcessor = await openSandbox();
    const { service, page, errors } = await openConsole(t, { processing: { modelProcessor } });
    const violations = await recordViolations(page);
    const open = (path: string) => page.goto(`${service.origin}/console${path}`);
    await page.reload();
    await uploadFile(t, page, makeHostileNamesGlb());
    await page.getByText('1 of 1 upload finished').waitFor();
    assert.deepEqual(await findEffects(page), [], 'the list of uploads');
    const [design] = (await sendRequest(service, 'GET', '/v1/designs')).json().items as Design[];
    assert.ok(design, await page.locator('.upload-row').innerText());
    assert.equal(design.status, 'ready', JSON.stringify(design.problem));

    await open('/designs');
    await page.locator('.design-card').filter({ hasText: 'onerror' }).waitFor();
    assert.deepEqual(await findEffects(page), [], 'the card');

    await open(`/designs/${design.id}`);
    const view = page.frameLocator('iframe.design-frame');
    await view.locator('html[data-state=ready]').waitFor();
    await page.evaluate(() => {
      for (const group of document.querySelectorAll('details')) group.open = true;
    });
    const options = page.locator('datalist option');
    await options.nth(3).waitFor({ state: 'attached' });
    const values = await options.evaluateAll((all) =>
      all.map((option) => (option as HTMLOptionElement).value),
    );
    assert.equal(values.filter((value) => value === HOSTILE_TEXT).length, 2, String(values));
    assert.deepEqual(await findEffects(page), [], 'the page of the design');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await findEffects(page), [], 'the question before it is deleted');
    await page.keyboard.press('Escape');

    await open(`/embed?design=${design.id}`);
    await assertCodeOfApi(page, service, design);
    assert.deepEqual(await findEffects(page), [], 'the embed builder');

    await open('/designs');
    await uploadFile(t, page, HOSTILE_OBJ, HOSTILE_FILE_NAME.replace('.glb', '.obj'));
    const row = page.locator('.upload-row');
    await row.getByText('were not uploaded').waitFor();
    assert.deepEqual(await findEffects(page), [], 'the warning of an upload');
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Warnings' }).waitFor();
    assert.deepEqual(await findEffects(page), [], 'the warnings of a design');
    assert.deepEqual(violations, []);
    assert.deepEqual(errors, []);
  });

  it('in fields of designs, tokens, users and sessions, and in pages that are checked, is shown as text', async (t) => {
    const detail = HOSTILE_TEXT;
    const failing: ModelProcessor = {
      run: async () => ({ ok: false, code: 'design.unreadable', detail, retryable: false }),
    };
    let html = '';
    const { origin: shop } = await openPageServer(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    });
    const { service, page, errors } = await openConsole(t, {
      processing: { modelProcessor: failing },
      pageFetching: LOOPBACK_FETCHING,
    });
    const violations = await recordViolations(page);
    await page.reload();
    await uploadFile(t, page, makeBox());
    await page.getByText('1 of 1 upload finished, 1 failed').waitFor();
    assert.deepEqual(await findEffects(page), [], 'the upload that failed');
    const [design] = (await sendRequest(service, 'GET', '/v1/designs')).json().items as Design[];
    const id = design?.id ?? '';
    const changed = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, {
      name: NAME,
      description: HOSTILE_FIELD,
      tags: [HOSTILE_FIELD.slice(0, 60), 'ok'],
      metadata: { [HOSTILE_FIELD.slice(0, 60)]: HOSTILE_FIELD },
      viewer: { title: NAME, variantName: NAME },
    });
    assert.equal(changed.statusCode, 200, changed.body);
    const token = await issueToken(service, { name: NAME, origins: [shop] });
    // The service writes no such names. Earlier versions may have.
    const database = openServerDatabase(t, service);
    database.prepare('update session set user_agent = ?').run(HOSTILE_TEXT);
    database.prepare('update user set name = ?').run(HOSTILE_TEXT);
    const src = `${service.origin}/embed/iframe/v1/${id}?token=${token.token}`;
    const escaped = HOSTILE_TEXT.replaceAll('"', '&quot;');
    html = `<title>${HOSTILE_TEXT}</title><iframe title="${escaped}" src="${src}"></iframe>`;

    const rows: [path: string, text: string][] = [
      [`/designs?tag=${encodeURIComponent(HOSTILE_FIELD.slice(0, 60))}`, 'onerror'],
      [`/designs?q=${encodeURIComponent(HOSTILE_FIELD.slice(0, 60))}`, 'onerror'],
      [`/designs/${id}`, 'onerror'],
      ['/embed', 'onerror'],
      [`/embed?design=${id}`, 'Code'],
      ['/tokens', 'onerror'],
      [`/tokens/${token.id}`, 'onerror'],
      [`/page-check?url=${encodeURIComponent(`${shop}/`)}`, 'not shown'],
      ['/sessions', 'onerror'],
      ['/operator', 'Version'],
      ['/operator/jobs?state=failed', 'onerror'],
      ['/operator/users', 'onerror'],
    ];
    const effects: Record<string, string[]> = {};
    for (const [path, text] of rows) {
      await page.goto(`${service.origin}/console${path}`);
      await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
      effects[path] = await findEffects(page);
    }
    await page.goto(`${service.origin}/console/operator/jobs?state=failed`);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('is processed again').first().waitFor();
    effects.notice = await findEffects(page);
    await page.goto(`${service.origin}/console/operator/users`);
    await page.getByRole('button', { name: 'Quotas of' }).click();
    await page.getByRole('dialog').waitFor();
    effects.quotas = await findEffects(page);
    await page.goto(`${service.origin}/console/tokens/${token.id}`);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor();
    effects.revoke = await findEffects(page);
    const found = Object.entries(effects).filter(([, list]) => list.length > 0);
    assert.deepEqual(Object.fromEntries(found), {});
    assert.deepEqual(violations, []);
    assert.deepEqual(errors, []);
  });
});

async function uploadFile(
  t: TestContext,
  page: Page,
  bytes: Buffer,
  name = HOSTILE_FILE_NAME,
): Promise<void> {
  const path = join(await openTemporaryDirectory(t), name);
  await writeFile(path, bytes);
  await page.locator('input[aria-label="Upload files"]').setInputFiles(path);
}

/** Fails if the code for HTML and Notion is not that of the service, byte for byte, or a tab shows something else. */
async function assertCodeOfApi(
  page: Page,
  service: Parameters<typeof sendRequest>[0] & { origin: string },
  { uri }: Design,
): Promise<void> {
  const headers = { accept: 'application/json', host: new URL(service.origin).host };
  const response = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri }, headers);
  const { html, src } = response.json();
  await page.getByRole('tab', { name: 'HTML' }).waitFor();
  for (const name of await page.getByRole('tab').allInnerTexts()) {
    await openCodeTab(page, name);
    const code = await readEmbedCode(page);
    if (['HTML', 'WordPress', 'Shopify'].includes(name)) assert.equal(code, html, name);
    if (name === 'Notion') assert.equal(code, src);
    assert.deepEqual(await findEffects(page), [], `the code for ${name}`);
  }
}
