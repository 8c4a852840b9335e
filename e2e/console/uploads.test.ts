import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox, makeLargeGlb, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { FlakyTcpProxy } from '../../server/testing/flaky-tcp-proxy.ts';
import type { TestServer } from '../../server/testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { dragFiles } from './drag-files.ts';
import { openConsole, signInToConsole } from './open-console.ts';

const MB = 1024 * 1024;
/** More than the buffers of all sockets on the way: the page must not have sent everything when the connection is cut. */
const LARGE_BYTES = 32 * MB;
/** Bytes of the headers of all requests of a page. */
const MAX_HEADER_BYTES = 64 * 1024;

async function writeFiles(t: TestContext, files: Record<string, Buffer | string>) {
  const folder = await openTemporaryDirectory(t);
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  return folder;
}

const chooseFiles = (page: Page, paths: string | string[], label = 'Upload files') =>
  page.locator(`input[aria-label="${label}"]`).setInputFiles(paths);

const getRow = (page: Page, name: string) => page.locator('.upload-row').filter({ hasText: name });

async function list(service: TestServer): Promise<Design[]> {
  return (await sendRequest(service, 'GET', '/v1/designs')).json().items;
}

/** Holds the requests that send bytes until they are released. */
async function holdPatches(page: Page) {
  const released = Promise.withResolvers<void>();
  let heldCount = 0;
  await page.route('**/v1/uploads/*', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    heldCount += 1;
    await released.promise;
    await route.continue().catch(() => undefined);
  });
  return { release: released.resolve, countHeld: () => heldCount };
}

/** Limits how fast the page sends. -1: it does not. */
async function limitUploadRate(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}

/** Fails if the text and the bar of an upload that is interrupted do not say the same, or that nothing was sent. */
async function assertProgress(row: Locator, sizeBytes: number): Promise<void> {
  const { text, value, max } = await row.evaluate((element) => {
    const { value, max } = element.querySelector('progress') ?? { value: -1, max: -1 };
    return { text: element.querySelector('.upload-progress')?.textContent ?? '', value, max };
  });
  const total = (sizeBytes / 1e6).toPrecision(3);
  const [, sent, of, percent] = /· ([\d.]+ [kM]B) of ([\d.]+) MB \((\d+) %\)/.exec(text) ?? [];
  assert.deepEqual([of, value, max], [total, Number(percent), 100], text);
  assert.ok(value > 0 && value < 100, text);
  const sentBytes = Number.parseFloat(sent ?? '') * (sent?.endsWith('MB') ? 1e6 : 1e3);
  assert.ok(Math.abs((100 * sentBytes) / sizeBytes - value) < 1.2, text);
}

/** A glTF with a buffer of its own. */
function makeGltfFiles(): { gltf: string; bin: Buffer } {
  const { json, bin } = makeUnpackedBox();
  const [buffer] = json.buffers as object[];
  const buffers = [{ ...buffer, uri: 'parts/my%20box.bin' }];
  return { gltf: JSON.stringify({ ...json, buffers }), bin };
}

describe('uploads in the console', () => {
  it('a new file for a design can be paused and continued, and becomes its next revision', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service, 'Oak chair');
    const folder = await writeFiles(t, { 'next.glb': makeBox({ name: 'next' }) });
    await page.goto(`${service.origin}/console/designs/${id}`);
    const held = await holdPatches(page);
    const input = page.locator('main input[type=file]');
    await input.setInputFiles(join(folder, 'next.glb'));
    await waitUntil('a request', () => held.countHeld() === 1);
    await page.getByRole('button', { name: 'Pause next.glb' }).click();
    await getRow(page, 'next.glb').filter({ hasText: 'Paused' }).waitFor();
    held.release();
    await page.getByRole('button', { name: 'Continue next.glb' }).click();
    await page.locator('strong', { hasText: 'Revision 2' }).waitFor();
    await page.getByText('1 of 1 upload finished').waitFor();
    assert.deepEqual(
      (await list(service)).map((design) => [design.id, design.name, design.status]),
      [[id, 'Oak chair', 'ready']],
    );
    await page.getByRole('button', { name: 'Clear finished' }).click();
    await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
    assert.deepEqual(errors, []);
  });

  it('two at a time, can be paused, continued and cancelled, and stay while other pages are shown', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const names = ['a.glb', 'b.glb', 'c.glb', '<img src=x onerror=alert(1)>.glb'];
    const folder = await writeFiles(
      t,
      Object.fromEntries(names.map((name) => [name, makeBox({ name })])),
    );
    const held = await holdPatches(page);
    await chooseFiles(
      page,
      names.map((name) => join(folder, name)),
    );
    await waitUntil('two requests', () => held.countHeld() === 2);
    await getRow(page, 'c.glb').filter({ hasText: 'Waiting' }).waitFor();
    await assertPageFits(page, 'uploads');
    await page.getByRole('button', { name: 'Pause a.glb' }).click();
    await getRow(page, 'a.glb').filter({ hasText: 'Paused' }).waitFor();
    await waitUntil('the next request', () => held.countHeld() === 3);
    await page.getByRole('button', { name: 'Cancel b.glb' }).click();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    // The list does not cover the next page. What was cancelled needs no attention there.
    await page.getByText('0 of 3 uploads finished').waitFor();
    assert.equal(await page.locator('.upload-row').count(), 0);
    await page.getByRole('button', { name: 'Show uploads' }).click();
    held.release();
    await getRow(page, 'c.glb').filter({ hasText: 'Ready' }).waitFor();
    await page.getByRole('button', { name: 'Continue a.glb' }).click();
    await page.getByText('3 of 3 uploads finished').waitFor();
    await page.getByRole('link', { name: 'Designs' }).click();
    await page.getByText('3 designs').waitFor();
    await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
    assert.deepEqual((await list(service)).map(({ name }) => name).sort(), [
      '<img src=x onerror=alert(1)>',
      'a',
      'c',
    ]);
    assert.deepEqual(errors, []);
  });

  it('an upload goes on after the connection was cut and after the page was reloaded', async (t) => {
    const proxy = await FlakyTcpProxy.open(t);
    const options = { publicUrl: proxy.origin, maxUploadBytes: 2 * LARGE_BYTES };
    const { service, page, errors } = await openConsole(t, options, { signedIn: false });
    proxy.targetPort = Number(new URL(service.origin).port);
    await page.goto(`${proxy.origin}/console`);
    await signInToConsole(page, service.token);
    page.on('dialog', (dialog) => void dialog.accept());
    const file = makeLargeGlb(LARGE_BYTES);
    const sizeBytes = file.length;
    const folder = await writeFiles(t, { 'large.glb': file });
    await page.getByText('You have no designs yet.').waitFor();

    // After the cut, the upload finds no connection until the page is reloaded.
    let patchCount = 0;
    await page.route('**/v1/uploads/*', (route) => {
      if (route.request().method() === 'PATCH') patchCount += 1;
      return patchCount > 1 ? route.abort() : route.continue();
    });
    proxy.cutAfterBytes = proxy.forwardedBytes + 3 * MB;
    // The page learns of bytes that were sent only if sending takes some time.
    await limitUploadRate(page, 2 * MB);
    await chooseFiles(page, join(folder, 'large.glb'));
    const row = getRow(page, 'large.glb');
    await row.filter({ hasText: 'Connection lost' }).waitFor();
    await assertProgress(row, sizeBytes);
    await limitUploadRate(page, -1);
    await page.reload();
    await page.getByText('1 upload was interrupted: choose the same file again').waitFor();
    await assertPageFits(page, 'an interrupted upload');
    await page.unroute('**/v1/uploads/*');
    const before = proxy.forwardedBytes;
    const continuation = page.waitForRequest((request) => request.method() === 'PATCH');
    await chooseFiles(page, join(folder, 'large.glb'));
    const storedBytes = Number((await continuation).headers()['upload-offset']);
    await page.getByText('1 of 1 upload finished').waitFor();
    // How much the service had read when the connection was cut depends on the machine.
    assert.ok(storedBytes > 0, 'the upload goes on');
    const sentBytes = proxy.forwardedBytes - before;
    assert.ok(sentBytes < sizeBytes - storedBytes + MAX_HEADER_BYTES, 'only the rest is sent');
    await page.getByText('was interrupted').waitFor({ state: 'detached' });
    await page.getByText('1 design', { exact: true }).waitFor();
    const unexpected = errors.filter((error) => !/net::ERR_/.test(error));
    assert.deepEqual(unexpected, []);
  });

  it('what runs in one tab is not interrupted in another one, which shows the design when it is there', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const folder = await writeFiles(t, { 'chair.glb': makeBox() });
    const held = await holdPatches(page);
    await chooseFiles(page, join(folder, 'chair.glb'));
    await waitUntil('the request', () => held.countHeld() === 1);
    const other = await page.context().newPage();
    await other.goto(`${service.origin}/console`);
    await other.getByText('You have no designs yet.').waitFor();
    // Until the first tab has answered, the other one may show it.
    await other.getByText('was interrupted').waitFor({ state: 'detached' });
    held.release();
    await other.locator('.design-card').filter({ hasText: 'chair' }).waitFor();
    await other.locator('.design-card').filter({ hasText: 'ready' }).waitFor();
    assert.deepEqual(errors, []);
  });

  it('a folder: a model with its files is one design, other models are one each, the rest is named', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { gltf, bin } = makeGltfFiles();
    const folder = await writeFiles(t, {
      'things/box.gltf': gltf,
      'things/parts/my box.bin': bin,
      'things/deep/stool.glb': makeBox(),
      'things/readme.txt': 'hello',
      'things/.DS_Store': 'x',
    });
    await page.getByText('You have no designs yet.').waitFor();
    const drop = await dragFiles(page, [join(folder, 'things')]);
    await page.getByText('Drop files or folders to upload them').waitFor();
    await assertPageFits(page, 'the drop target');
    await drop();
    await page.getByText('1 file is not a model and was left out: things/readme.txt').waitFor();
    await page.getByText('2 of 2 uploads finished').waitFor();
    await page.getByText('2 designs').waitFor();
    assert.deepEqual((await list(service)).map(({ name, status }) => [name, status]).sort(), [
      ['box', 'ready'],
      ['stool', 'ready'],
    ]);
    await chooseFiles(page, join(folder, 'things'), 'Upload a folder');
    await page.getByText('4 of 4 uploads finished').waitFor();
    await page.getByText('4 designs').waitFor();
    assert.deepEqual(errors, []);
  });

  it('says what a file lacks, and what to do', async (t) => {
    const { page, errors } = await openConsole(t, {}, { width: 360, colorScheme: 'dark' });
    const { gltf } = makeGltfFiles();
    const folder = await writeFiles(t, { 'box.gltf': gltf, 'poem.txt': 'A poem.' });
    await chooseFiles(page, join(folder, 'poem.txt'));
    await getRow(page, 'poem.txt').filter({ hasText: 'Export the model as GLB' }).waitFor();
    await chooseFiles(page, join(folder, 'box.gltf'));
    await getRow(page, 'box.gltf').filter({ hasText: 'drop all of them together' }).waitFor();
    await page.getByText('2 of 2 uploads finished, 2 failed').waitFor();
    await assertPageFits(page, 'failed uploads');
    assert.deepEqual(errors, []);
  });
});
