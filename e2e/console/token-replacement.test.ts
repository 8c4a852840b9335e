import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeLargeGlb } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { sendRequest } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';

const MB = 1024 * 1024;
const ALARMING = /lost|fail|interrupt|error|could not|ended|sign in/i;

describe('a session whose token is replaced', () => {
  it('goes on with its uploads, after the bytes that were sent', async (t) => {
    const { service, page, errors } = await openConsole(t, { maxUploadBytes: 32 * MB });
    const folder = await openTemporaryDirectory(t);
    for (const [name, sizeBytes] of [
      // They take minutes at the limit below: they must not end before the token is replaced.
      ['large.glb', 24 * MB],
      ['other.glb', 20 * MB],
      ['waiting.glb', MB],
    ] as const)
      await writeFile(join(folder, name), makeLargeGlb(sizeBytes));
    const texts = await recordTexts(page);
    const offsets: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
    });

    const limitUpload = await openUploadLimit(page);
    await limitUpload(MB / 4);
    await page
      .locator('input[aria-label="Upload files"]')
      .setInputFiles(['large.glb', 'other.glb', 'waiting.glb'].map((name) => join(folder, name)));
    await waitUntil('two files that are sent', () => offsets.length === 2);
    await page.locator('.upload-row').filter({ hasText: 'large.glb' }).getByText(' of ').waitFor();

    await page.getByRole('link', { name: 'Tokens' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'you are signed in' })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Replace' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Grace period').selectOption('0');
    assert.equal(offsets.length, 2, 'the first files are still sent');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    const token = await dialog.locator('code').innerText();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    assert.equal((await sendRequest(service, 'GET', '/v1/tokens')).statusCode, 401);
    await waitUntil('both files are sent again', () => offsets.length >= 4);
    await limitUpload(-1);
    await page.getByText('3 of 3 uploads finished').waitFor();
    assert.deepEqual(offsets.slice(0, 2), [0, 0]);
    assert.ok((offsets[2] ?? 0) > 0 && (offsets[3] ?? 0) > 0, String(offsets));
    const { items } = (await sendRequest({ ...service, token }, 'GET', '/v1/designs')).json();
    assert.deepEqual(
      items.map(({ status }: { status: string }) => status),
      ['ready', 'ready', 'ready'],
    );
    assert.deepEqual(
      texts.filter((text) => ALARMING.test(text)),
      [],
    );
    assert.deepEqual(errors, []);
  });
});

/** Returns a function that limits how much the page sends, in bytes per second. -1: no limit. */
async function openUploadLimit(page: Page): Promise<(bytesPerSecond: number) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  return async (uploadThroughput) => {
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
    await session.send('Network.emulateNetworkConditions', conditions);
  };
}

/** Returns the texts that are shown from now on about uploads, and in messages. */
async function recordTexts(page: Page): Promise<string[]> {
  const texts: string[] = [];
  await page.exposeFunction('recordText', (text: string) => texts.push(text));
  await page.evaluate(`
    const record = () => {
      for (const element of document.querySelectorAll('.upload-row, .upload-interrupted, [role=alert], [role=status]'))
        if (element.innerText) recordText(element.innerText);
    };
    new MutationObserver(record).observe(document, { childList: true, subtree: true, characterData: true });
  `);
  return texts;
}
