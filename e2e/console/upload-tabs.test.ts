import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { Page } from 'playwright-core';
import { FlakyTcpProxy } from '../../server/testing/flaky-tcp-proxy.ts';
import type { TestServer } from '../../server/testing/harness.ts';
import { patchUpload } from '../../server/testing/tus-requests.ts';
import { openConsole, signInToConsole } from './open-console.ts';

const SENT_BYTES = 100;

/** Opens the console in two tabs. Chromium has locks at `localhost`, and none at another plain http origin. */
async function openTwoTabs(t: TestContext, host: string) {
  const proxy = await FlakyTcpProxy.open(t);
  const { port } = new URL(proxy.origin);
  const origin = `http://${host}:${port}`;
  const opened = await openConsole(t, { publicUrl: origin }, { signedIn: false });
  proxy.targetPort = Number(new URL(opened.service.origin).port);
  const { page: first } = opened;
  await first.goto(`${origin}/console`);
  await signInToConsole(first, opened.service.token);
  const second = await first.context().newPage();
  await second.goto(`${origin}/console`);
  for (const tab of [first, second]) await tab.getByText('You have no designs yet.').waitFor();
  return { service: { ...opened.service, origin }, first, second };
}

async function chooseFile(tab: Page, file: string) {
  await tab.locator('input[aria-label="Upload files"]').setInputFiles(file);
}

/** Begins an upload in a tab that never ends it. The service has its first bytes. */
async function beginUpload(service: TestServer, tab: Page, bytes: Buffer, choose: () => unknown) {
  const { promise, resolve } = Promise.withResolvers<string>();
  await tab.route('**/v1/uploads/*', (route) => resolve(new URL(route.request().url()).pathname));
  await choose();
  const { statusCode } = await patchUpload(service, await promise, bytes.subarray(0, SENT_BYTES));
  assert.equal(statusCode, 204);
}

describe('an upload in one of two tabs', () => {
  const ends: [name: string, host: string, end: (tab: Page) => Promise<unknown>][] = [
    ['crashes', 'localhost', crash],
    ['is closed', 'localhost', (tab) => tab.close()],
    ['is closed, over plain http', 'cloche.test', (tab) => tab.close()],
  ];
  for (const [name, host, end] of ends) {
    it(`is continued in the other one when the tab ${name}`, async (t) => {
      const { service, first, second } = await openTwoTabs(t, host);
      assert.equal(await second.evaluate(() => isSecureContext), host === 'localhost');
      const bytes = makeBox();
      const file = join(await openTemporaryDirectory(t), 'chair.glb');
      await writeFile(file, bytes);
      const known = watchOtherTabs(second);
      await beginUpload(service, first, bytes, () => chooseFile(first, file));
      await known;
      await second.getByText('was interrupted').waitFor({ state: 'detached' });

      await end(first);
      await second.getByText('1 upload was interrupted').waitFor();
      const sending = second.waitForRequest((request) => request.method() === 'PATCH');
      await chooseFile(second, file);
      assert.equal((await sending).headers()['upload-offset'], String(SENT_BYTES));
      await second.getByText('1 of 1 upload finished').waitFor();
    });
  }
});

/** Resolves when the tab has heard of an upload in another one. */
function watchOtherTabs(tab: Page): Promise<void> {
  return tab.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const channel = new BroadcastChannel('cloche-uploads');
        channel.onmessage = ({ data }) => data.fingerprints?.length > 0 && resolve();
      }),
  );
}

/** Ends the process of a tab. */
async function crash(tab: Page): Promise<void> {
  const session = await tab.context().newCDPSession(tab);
  const crashed = tab.waitForEvent('crash');
  // It is not answered.
  session.send('Page.crash').catch(() => undefined);
  await crashed;
}
