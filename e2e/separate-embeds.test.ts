import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Frame, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { openChromium } from './chromium.ts';
import {
  EMBED_COUNT,
  getEmbeds,
  IN_VIEW,
  openFortyEmbeds,
  readState,
  scrollPage,
  VIEWPORT,
  waitUntilLive,
  waitUntilPictures,
} from './forty-embeds.ts';

const WAIT = { timeoutMs: 120_000 };
/** Chromium loses the oldest context of a process that opens more. */
const CONTEXTS_OF_PROCESS = 16;
const ALL_IN_VIEW = { ...VIEWPORT, height: 600 };

/** Runs in each document before all scripts: no document can read what the others have published. */
function separateDocuments() {
  Object.defineProperty(window, 'clochePageMember1', {
    get() {
      throw new DOMException('Blocked a frame from accessing another.', 'SecurityError');
    },
    set() {},
  });
}

describe('a page with forty embeds that cannot read each other', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('those in view are live, all others release their contexts, and the browser loses none', async (t) => {
    const page = await openFortyEmbeds(t, browser, { script: separateDocuments });
    for (const edge of ['top', 'bottom', 'top', 'bottom'] as const) {
      await scrollPage(page, edge);
      await waitUntilLive(page, edge);
      // Contexts are released by the script of the controls.
      await waitUntil(
        'the embeds in view have controls',
        async () =>
          (await Promise.all(getEmbeds(page, edge).map(readState))).every((e) => e.interactive),
        WAIT,
      );
      await waitUntilPictures(page);
      await waitUntil(
        'the contexts out of view are released',
        async () => {
          const others = page
            .frames()
            .slice(1)
            .filter((frame) => !getEmbeds(page, edge).includes(frame));
          return (await sumStates(others)).liveContexts === 0;
        },
        WAIT,
      );
      const { liveContexts, lostByBrowser } = await sumStates(page.frames().slice(1));
      assert.deepEqual(
        { liveContexts, lostByBrowser },
        { liveContexts: IN_VIEW, lostByBrowser: 0 },
      );
    }
  });

  it('if all are in view, those without a context show their last picture until they are touched, or get a key', async (t) => {
    const options = { script: separateDocuments, viewport: ALL_IN_VIEW };
    const page = await openFortyEmbeds(t, browser, options);
    const embeds = page.frames().slice(1);
    await waitUntil(
      'all have been loaded',
      async () => {
        const states = await Promise.all(embeds.map(readState));
        return states.every(({ state }) => state === 'ready');
      },
      WAIT,
    );
    await waitUntilResting(embeds);
    await waitUntilPictures(page);
    assert.equal(await countErrors(embeds), 0);

    const inputs = [
      (embed: Frame) => touch(page, embeds.indexOf(embed)),
      (embed: Frame) => embed.locator('#view').press('ArrowLeft'),
    ];
    for (const input of inputs) {
      const { openedContexts } = await sumStates(embeds);
      const touched = await findSuspended(embeds);
      await input(touched);
      await waitUntil(
        'the touched embed is live',
        async () => !(await readState(touched)).suspended,
        WAIT,
      );
      await waitUntilResting(embeds);
      await waitUntilPictures(page);
      assert.equal((await sumStates(embeds)).openedContexts, openedContexts + 1);
      assert.equal(await countErrors(embeds), 0);
    }
  });
});

/** Waits until as many embeds are live as the browser has contexts. */
async function waitUntilResting(embeds: readonly Frame[]): Promise<void> {
  let last: unknown;
  await waitUntil(
    () => `as many embeds are live as there are contexts: ${JSON.stringify(last)}`,
    async () => {
      const states = await Promise.all(embeds.map(readState));
      const live = states.filter(({ suspended }) => !suspended).length;
      const { liveContexts } = await sumStates(embeds);
      last = { live, liveContexts };
      return live === CONTEXTS_OF_PROCESS && liveContexts === CONTEXTS_OF_PROCESS;
    },
    WAIT,
  );
}

async function sumStates(embeds: readonly Frame[]) {
  const states = await Promise.all(embeds.map(readState));
  const sum = (key: 'liveContexts' | 'lostByBrowser' | 'openedContexts') =>
    states.reduce((total, state) => total + state[key], 0);
  return {
    liveContexts: sum('liveContexts'),
    lostByBrowser: sum('lostByBrowser'),
    openedContexts: sum('openedContexts'),
  };
}

async function countErrors(embeds: readonly Frame[]): Promise<number> {
  const visible = await Promise.all(embeds.map((embed) => embed.locator('#error').isVisible()));
  return visible.filter(Boolean).length;
}

async function findSuspended(embeds: readonly Frame[]): Promise<Frame> {
  for (const embed of embeds) if ((await readState(embed)).suspended) return embed;
  assert.fail(`all of ${EMBED_COUNT} embeds are live`);
}

/** Touches an embed above its toolbar. */
async function touch(page: Page, index: number): Promise<void> {
  const box = await page.locator('iframe').nth(index).boundingBox();
  assert.ok(box !== null);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 4);
}
