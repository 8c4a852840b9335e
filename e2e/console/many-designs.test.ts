import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { Capability } from '@cloche/contract/token';
import { makePng } from '@cloche/pipeline/testing/png';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { DiskBlobStore } from '../../server/src/blobs/disk-blob-store.ts';
import { addManyDesigns, type ManyDesignsOptions } from '../../server/testing/many-designs.ts';
import { issueToken, sendRequest } from '../../server/testing/requests.ts';
import { openDatabaseAgain } from '../../server/testing/test-database.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole, withoutStatus } from './open-console.ts';

const DESIGN_COUNT = 1_000;

it('a long list: only cards near the screen are rendered, each once; all tags can be chosen', async (t) => {
  const { service, page, errors, token } = await openManyDesigns(t, {
    ...{ designCount: DESIGN_COUNT, blobCount: 5 },
    capabilities: ['read', 'write', 'embed'],
  });
  // The tag of a design that the first page of the list does not contain.
  const client = { ...service, token };
  const { items } = (await sendRequest(client, 'GET', '/v1/designs?sort=createdAt&limit=1')).json();
  const tags = { tags: ['<b>rare</b>'] };
  await sendRequest(client, 'PATCH', `/v1/designs/${items[0].id}`, tags);
  await signInToConsole(page, token);
  await page.locator('.design-card').first().waitFor();
  await page
    .getByLabel('Tag', { exact: true })
    .locator('option')
    .nth(3)
    .waitFor({ state: 'attached' });
  const options = await page.getByLabel('Tag', { exact: true }).locator('option').allInnerTexts();
  assert.deepEqual(options, ['All tags', '<b>rare</b> (1)', 'chair (999)', 'oak (999)']);

  const counts = await page.evaluate(COUNT_WHILE_SCROLLING);
  const { added, changed, mostCards, columns, lastRow } = counts as Record<string, number>;
  assert.ok(added && columns && lastRow && mostCards && changed !== undefined);
  const lastCard = (lastRow + 1) * columns;
  assert.ok(added <= lastCard, `${added} cards were added for the first ${lastCard}`);
  assert.equal(changed, 0, 'a card that is shown is not changed');
  assert.ok(mostCards <= columns * 14, `${mostCards} cards in ${columns} columns`);

  await page.getByLabel('Tag', { exact: true }).selectOption('<b>rare</b>');
  await page.getByText('1 design', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

it('if a further page of a long list cannot be loaded, the end of the list says so, and loads it when asked to', async (t) => {
  const { page, errors, token } = await openManyDesigns(t, { designCount: 250, blobCount: 1 });
  let count = 0;
  const problem = { status: 503, code: 'server.unavailable', title: 'Down', detail: 'Later.' };
  await page.route(/\/v1\/designs\?.*cursor=/, async (route) => {
    count += 1;
    const contentType = 'application/problem+json';
    await route.fulfill({ status: 503, contentType, body: JSON.stringify(problem) });
  });
  await signInToConsole(page, token);
  await page.locator('.design-card').first().waitFor();
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const message = page.getByRole('alert').filter({ hasText: 'Later.' });
  await message.waitFor();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))');
  // Once more after the list was read again, because the event stream was opened.
  assert.ok(count <= 2, `${count} requests for the next page`);
  await message.scrollIntoViewIfNeeded();
  await assertPageFits(page, 'a page that is missing');
  await page.unroute(/\/v1\/designs\?.*cursor=/);
  await message.getByRole('button').click();
  await page.getByText('200 designs so far', { exact: true }).waitFor();
  assert.equal(await message.count(), 0);
  await scrollToLastDesign(page, 250);
  assert.deepEqual(withoutStatus(errors, 503), []);
});

it('the cards on the screen are those of the position, also if the page is scrolled just after the list was measured', async (t) => {
  const { page, errors, token } = await openManyDesigns(t, { designCount: 100, blobCount: 1 });
  await page.addInitScript(SCROLL_AFTER_RESIZE);
  await page.reload();
  await signInToConsole(page, token);
  await page.locator('.design-card').first().waitFor();
  await page.evaluate('scrollsAfterResize = true');
  await page.evaluate(`document.querySelector('main').prepend('One line more')`);
  await page.waitForFunction('scrollY > 0 && !scrollsAfterResize');
  await waitUntil(
    'a card in the middle of the screen',
    () =>
      page.evaluate<boolean>(
        `document.elementFromPoint(innerWidth * 0.6, innerHeight / 2).closest('.design-card') !== null`,
      ),
    { timeoutMs: 10_000 },
  );
  assert.deepEqual(errors, []);
});

it('while a long list is scrolled fast, posters are only loaded where it stops', async (t) => {
  const posters = [{ bytes: makePng(32, 24, [90, 120, 80]), width: 32, height: 24 }];
  const options = { designCount: 800, blobCount: 1, posters };
  const { page, errors, token } = await openManyDesigns(t, options);
  await signInToConsole(page, token);
  await scrollToLastDesign(page, 800);
  await page.evaluate('scrollTo(0, 0)');
  const waitForPosters = () =>
    waitUntil('the posters', () => page.evaluate<boolean>(ARE_POSTERS_LOADED));
  await waitForPosters();
  let count = 0;
  page.on('request', (request) => {
    if (request.resourceType() === 'image') count += 1;
  });
  await page.evaluate(`(async () => {
    // Four screens per frame: no machine is so slow that this is not fast.
    while (scrollY + innerHeight < document.documentElement.scrollHeight - 1) {
      scrollBy(0, 4 * innerHeight);
      await new Promise(requestAnimationFrame);
    }
  })()`);
  await waitForPosters();
  const shown = await page.locator('.card-poster img').count();
  assert.ok(shown > 0);
  // The first movement has no speed yet.
  assert.ok(count <= 4 * shown, `${count} posters were loaded, of which ${shown} are near the end`);
  await page.evaluate('scrollTo(0, 0)');
  await waitForPosters();
  await assertPageFits(page, 'many designs');
  assert.deepEqual(errors, []);
});

type ManyDesigns = Pick<ManyDesignsOptions, 'designCount' | 'blobCount' | 'posters'> & {
  capabilities?: Capability[];
};

/** Opens the console, signed out, of a service with many designs. `token` may read them. */
async function openManyDesigns(
  t: TestContext,
  { capabilities = ['read'], ...options }: ManyDesigns,
) {
  const opened = await openConsole(t, {}, { signedIn: false });
  const { service } = opened;
  const database = openDatabaseAgain(t, service.dataDirectory);
  const blobs = await DiskBlobStore.open(join(service.dataDirectory, 'blobs'));
  await addManyDesigns({ ...options, database, blobs });
  const { token } = await issueToken(service, { capabilities, origins: [], user: 'many' });
  return { ...opened, token };
}

/** Scrolls to the end of the list until it has so many designs. */
async function scrollToLastDesign(page: Page, count: number): Promise<void> {
  let state = '';
  await waitUntil(
    () => `${count} designs. ${state}`,
    async () => {
      state = await page.evaluate<string>(SCROLL_TO_END);
      return state.startsWith(`${count} designs |`);
    },
    { timeoutMs: 30_000 },
  );
}

/** Returns how many designs are shown, and what could keep more of them away. */
const SCROLL_TO_END = `(() => {
  const { scrollHeight } = document.documentElement;
  scrollTo(0, scrollHeight);
  const texts = ['.design-count', '.error', '.loading'].map((name) => document.querySelector(name)?.innerText ?? '');
  const last = [...document.querySelectorAll('.design-card')].at(-1)?.ariaPosInSet;
  return [...texts, 'scrolled to ' + scrollY + ' of ' + scrollHeight, 'last card ' + last, document.visibilityState].join(' | ');
})()`;

/**
 * Scrolls once between a measurement and the next render. Of two measurements before a render, React may handle the
 * second one not before the render.
 */
const SCROLL_AFTER_RESIZE = `(() => {
  globalThis.scrollsAfterResize = false;
  globalThis.ResizeObserver = class extends ResizeObserver {
    constructor(callback) {
      super((...values) => {
        callback(...values);
        if (!globalThis.scrollsAfterResize) return;
        callback(...values);
        scrollTo(0, document.documentElement.scrollHeight / 2);
        globalThis.scrollsAfterResize = false;
      });
    }
  };
})()`;

/** Whether the first or the last card is there, and all posters are. */
const ARE_POSTERS_LOADED = `(() => {
  const { scrollHeight } = document.documentElement;
  const isAtEnd = scrollY === 0 || scrollY + innerHeight >= scrollHeight - 1;
  const boxes = [...document.querySelectorAll('.card-poster')];
  return isAtEnd && boxes.every((box) => box.firstElementChild?.complete);
})()`;

/** Scrolls 40 steps down. Counts the cards that are added, and the changes of cards that remain. */
const COUNT_WHILE_SCROLLING = `(async () => {
  const grid = document.querySelector('.design-grid');
  const cards = grid.getElementsByClassName('design-card');
  const columns = new Set([...cards].map((card) => card.getBoundingClientRect().left)).size;
  let [added, changed, mostCards] = [0, 0, 0];
  new MutationObserver((records) => {
    for (const { type, addedNodes, target } of records) {
      if (type === 'childList' && target === grid) added += addedNodes.length;
      // The posters of cards that passed by too fast follow later.
      else if (target !== grid && !target.closest('.card-poster')) changed += 1;
    }
  }).observe(grid, { subtree: true, childList: true, attributes: true });
  for (let step = 0; step < 40; step += 1) {
    scrollBy(0, 200);
    await new Promise(requestAnimationFrame);
    mostCards = Math.max(mostCards, cards.length);
  }
  const positions = [...cards].map((card) => Number(card.ariaPosInSet));
  return { added, changed, mostCards, columns, lastRow: Math.ceil(Math.max(...positions) / columns) - 1 };
})()`;
