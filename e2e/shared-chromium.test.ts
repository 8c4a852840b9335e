import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntil } from '../scripts/wait-until.ts';
import { openSharedChromium } from './shared-chromium.ts';

test('tests share a browser, and each closes only what it has opened', async (t) => {
  const first = await openSharedChromium();
  const second = await openSharedChromium();
  t.after(() => second.close());
  const page = await first.newPage();
  const context = await first.newContext();
  const other = await second.newPage();
  assert.equal(other.context().browser(), context.browser());
  await other.context().addCookies([{ name: 'other', value: '1', url: 'http://shop.test/' }]);
  assert.deepEqual(await context.cookies(), []);
  await first.close();
  assert.equal(page.isClosed(), true);
  await assert.rejects(context.newPage(), /closed/);
  assert.equal(other.isClosed(), false);
});

test('after the browser has ended, the next test starts another one', async (t) => {
  const ended = await openSharedChromium();
  const page = await ended.newPage();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Browser.close').catch(() => undefined);
  await waitUntil('the browser has ended', () => !page.context().browser()?.isConnected());
  await ended.close();
  const started = await openSharedChromium();
  t.after(() => started.close());
  await started.newPage();
});
