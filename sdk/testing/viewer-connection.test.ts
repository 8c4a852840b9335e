import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { openSdkPage, readCalls, type SdkPageOptions, waitForViewer } from './sdk-page.ts';

const SCRIPT = '<script src="SERVICE/sdk/v1/cloche.js"></script>';
const SNIPPET = '<iframe src="VIEWER" title="Oak chair"></iframe>';
/** Creates the handle, and logs what it reports. */
const CREATE = `<script>
  window.log = [];
  window.handle = Cloche.createViewer(document.querySelector('iframe'));
  for (const name of ['load', 'pick', 'play', 'model-visibility'])
    handle.on(name, (detail) => log.push(name + ' ' + JSON.stringify(detail)));
  handle.on('error', ({ code }) => log.push('error ' + code));
  handle.ready.then(() => log.push('ready'), ({ code }) => log.push('not ready ' + code));
</script>`;

describe('the connection to a viewer', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  const open = (t: TestContext, query = '', options: Partial<SdkPageOptions> = {}) =>
    openSdkPage(t, browser, {
      html: `${SCRIPT}${SNIPPET.replace('VIEWER', `VIEWER${query}`)}${CREATE}`,
      ...options,
    });

  for (const [reason, query] of [
    ['the SDK is there first', ''],
    ['the viewer listens after its document has loaded', '&late'],
  ] as const) {
    it(`is made when ${reason}`, async (t) => {
      const { page, messages } = await open(t, query);
      await waitForViewer(page);
      await waitForLog(page, ['ready']);
      assert.deepEqual(messages, []);
    });
  }

  it('passes on calls, answers, errors and events', async (t) => {
    const { page } = await open(t);
    const frame = await waitForViewer(page);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    const failed = await page.evaluate(() =>
      window.handle.setVariant('None').catch(({ name, code, message }) => [name, code, message]),
    );
    assert.deepEqual(failed, ['ClocheError', 'viewer.unknown-variant', 'No variant.']);
    await frame.evaluate(() =>
      window.viewer.send({ type: 'event', name: 'pick', detail: { a: 1 } }),
    );
    await waitForLog(page, ['ready', 'pick {"a":1}']);
  });

  it('an error in a listener reaches the page, and the other listeners are called', async (t) => {
    const { page, messages } = await open(t);
    const frame = await waitForViewer(page);
    await page.evaluate(() => {
      window.handle.on('pause', () => {
        throw new Error('of the page');
      });
      const remove = window.handle.on('pause', () => window.log.push('removed'));
      window.handle.on('pause', () => window.log.push('pause'));
      remove();
    });
    await frame.evaluate(() => window.viewer.send({ type: 'event', name: 'pause', detail: {} }));
    await waitForLog(page, ['ready', 'pause']);
    assert.deepEqual(messages, ['Error: of the page']);
  });

  it('has the methods that the viewer lists, also newer ones, and no others', async (t) => {
    const { page } = await open(t);
    const codes = await page.evaluate(async () => [
      await window.handle.call('newer', 1).catch(({ code }) => code),
      await window.handle.getCamera().catch(({ code }) => code),
      await window.handle.call('older').catch(({ code }) => code),
    ]);
    assert.deepEqual(
      codes,
      [null, 'sdk.unsupported-method', 'sdk.unsupported-method'].map((c) => c ?? undefined),
    );
  });

  it('rejects arguments that cannot be sent', async (t) => {
    const { page } = await open(t);
    const code = await page.evaluate(() =>
      window.handle.call('play', () => {}).catch(({ code }) => code),
    );
    assert.equal(code, 'sdk.invalid-argument');
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
  });

  it('tells a page that connects late that the model is shown and has loaded', async (t) => {
    const { page } = await open(t, '&state=ready&visible');
    await waitForLog(page, ['ready', 'model-visibility {"visible":true}', 'load {}']);
  });

  it('a script that waits for `ready` does not miss the event', async (t) => {
    const html = `${SCRIPT}${SNIPPET.replace('VIEWER', 'VIEWER&state=ready')}
      <script type="module">
        window.log = [];
        const handle = await Cloche.createViewer(document.querySelector('iframe')).ready;
        handle.on('load', () => log.push('load'));
      </script>`;
    const { page } = await open(t, '', { html });
    await waitForLog(page, ['load']);
  });

  for (const [reason, query, code] of [
    ['the page of the service refuses', '&refused=embed.origin', 'embed.origin'],
    ['the viewer speaks no version of the SDK', '&version=9', 'sdk.unsupported-version'],
  ] as const) {
    it(`fails when ${reason}, and so do calls`, async (t) => {
      const { page } = await open(t, query);
      await waitForLog(page, [`error ${code}`, `not ready ${code}`]);
      const failed = await page.evaluate(() => window.handle.play().catch(({ code }) => code));
      assert.equal(failed, code);
    });
  }

  it('fails after 10 s without an answer, and works if one comes later', async (t) => {
    const { page } = await open(t, '&mute', { fakeTime: true });
    await page.evaluate(() => {
      window.handle.play().catch(({ code }) => window.log.push(`play ${code}`));
    });
    await page.clock.runFor(5_000);
    assert.deepEqual(await page.evaluate(() => window.log), []);
    await page.clock.runFor(5_100);
    await waitForLog(page, ['error sdk.timeout', 'play sdk.timeout', 'not ready sdk.timeout']);
    const [, frame] = page.frames();
    await frame
      ?.evaluate(() => location.replace(location.href.replace('&mute', '')))
      .catch(() => {});
    await waitForViewer(page);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
  });

  it('does not count the time in which a lazy iframe is not loaded', async (t) => {
    const html = `${SCRIPT}<div style="height:20000px"></div>
      ${SNIPPET.replace('<iframe', '<iframe loading="lazy"').replace('VIEWER', 'VIEWER&mute')}${CREATE}`;
    const { page } = await open(t, '', { html, fakeTime: true });
    await page.clock.runFor(60_000);
    assert.deepEqual(await page.evaluate(() => window.log), []);
    await page.evaluate(() => scrollTo(0, 20_000));
    // The clock stands still between the calls, and the SDK notices the iframe at any time after the scroll.
    await waitUntil('the time is over', async () => {
      await page.clock.runFor(2_000);
      return page.evaluate(() => window.log.length === 2);
    });
    await waitForLog(page, ['error sdk.timeout', 'not ready sdk.timeout']);
  });

  it('options that change while a lazy iframe is not loaded are sent when it is', async (t) => {
    const html = `${SCRIPT}<div style="height:20000px"></div>
      ${SNIPPET.replace('<iframe', '<iframe loading="lazy"')}${CREATE}`;
    const { page } = await open(t, '', { html, fakeTime: true });
    await page.evaluate(() => {
      const log = ({ code }: { code: string }) => window.log.push(code);
      window.handle.setOptions({ exposure: 1, variantName: 'Oak' }).catch(log);
      window.handle.setOptions({ variantName: 'Red' }).catch(log);
    });
    await page.clock.runFor(60_000);
    await waitForLog(page, ['sdk.timeout', 'sdk.timeout']);
    await page.evaluate(() => scrollTo(0, 20_000));
    const frame = await waitForViewer(page);
    await waitUntil('the options', async () => (await readCalls(frame)).length === 1);
    assert.deepEqual(await readCalls(frame), ['setOptions({"exposure":1,"variantName":"Red"})']);
  });

  it('a call without an answer fails', async (t) => {
    const { page } = await open(t, '', { fakeTime: true });
    const frame = await waitForViewer(page);
    await frame.evaluate(() => {
      window.viewer.silent = true;
    });
    await page.evaluate(() => {
      window.handle.play().catch(({ code, message }) => window.log.push(`${code}: ${message}`));
    });
    await page.clock.runFor(33_000);
    await waitForLog(page, ['ready', 'sdk.timeout: The viewer did not answer in time. (play)']);
    // An answer that comes too late.
    await frame.evaluate(() => window.viewer.send({ type: 'result', id: 1 }));
    await frame.evaluate(() => window.viewer.send({ type: 'event', name: 'play', detail: 1 }));
    await waitUntil('the event', () => page.evaluate(() => window.log.includes('play 1')));
  });

  for (const query of ['', '&crash', '&late&crash']) {
    it(`a navigated iframe: calls fail, and the next document is connected (${query})`, async (t) => {
      const { page } = await open(t, query);
      const frame = await waitForViewer(page);
      await frame.evaluate(() => {
        window.viewer.silent = true;
      });
      await page.evaluate(() => {
        window.handle.play().catch(({ code }) => window.log.push(code));
      });
      await waitUntil('the call', () => frame.evaluate(() => window.viewer.calls.length === 1));
      await frame.evaluate(() => location.reload()).catch(() => {});
      await waitForLog(page, ['ready', 'sdk.disconnected']);
      assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    });

    it(`a frame that has gone to another site gets and sends nothing (${query})`, async (t) => {
      const { page, viewerUrl } = await open(t, query, {
        files: {
          // It answers like a viewer, and sends everything that a viewer sends.
          '/foreign': `<script>
            window.received = [];
            addEventListener('message', ({ data, ports }) => {
              received.push(data);
              ports[0]?.postMessage({ type: 'syn-ack', version: 1, methods: ['play'], events: [], state: { state: 'ready' } });
            });
            for (const message of [{ cloche: 'listening', versions: [1] }, { cloche: 'refused', code: 'a.b' }])
              parent.postMessage(message, '*');
          </script>`,
        },
      });
      const frame = await waitForViewer(page);
      const foreign = `${new URL(page.url()).origin.replace('shop.test', 'foreign.test')}/foreign`;
      await frame.evaluate((url) => location.assign(url), foreign).catch(() => {});
      await waitUntil('the other site', () => frame.url() === foreign);
      await page.evaluate(() => {
        window.handle.play().then(
          () => window.log.push('played'),
          () => {},
        );
      });
      await frame.waitForLoadState('load');
      // A round trip of messages between the two windows.
      await page.evaluate(() => window.handle.iframe.contentWindow?.postMessage('ping', '*'));
      await waitUntil('the ping', () => frame.evaluate('received.length === 1'));
      assert.deepEqual(await frame.evaluate('received'), ['ping']);
      assert.deepEqual(await page.evaluate(() => window.log), ['ready']);
      // Back at the service.
      await frame.evaluate((url) => location.assign(url), `${viewerUrl}?back`).catch(() => {});
      await waitForViewer(page);
      assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    });
  }

  it('ignores messages of other windows', async (t) => {
    const html = `${SCRIPT}${SNIPPET}${CREATE}<iframe src="VIEWER&mute"></iframe>`;
    const { page } = await open(t, '', { html });
    const frame = await waitForViewer(page);
    const sibling = await waitUntil('the sibling', () => page.frames()[2]);
    // The same origin, in another window; and the page itself.
    await sibling.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(() => window.handle.getVariants());
    // 2 if the viewer was already listening when the handle was created.
    const synCount = await frame.evaluate(() => window.viewer.synCount);
    for (const source of [sibling, page]) {
      await source.evaluate(() => {
        for (const cloche of ['listening', 'failed', 'refused'])
          parent.postMessage({ cloche, code: 'a.b', versions: [1] }, '*');
      });
    }
    await page.evaluate(() => window.handle.getVariants());
    assert.deepEqual(await page.evaluate(() => window.log), ['ready']);
    assert.equal(await frame.evaluate(() => window.viewer.synCount), synCount);
  });

  it('two iframes have two connections', async (t) => {
    const html = `${SCRIPT}${SNIPPET}${SNIPPET}<script>
      window.handles = [...document.querySelectorAll('iframe')].map((iframe) => Cloche.createViewer(iframe));
    </script>`;
    const { page } = await open(t, '', { html });
    const frames = [await waitForViewer(page, 0), await waitForViewer(page, 1)];
    await page.evaluate('handles[1].setVariant("Oak")');
    const calls = await Promise.all(
      frames.map((frame) => frame.evaluate(() => window.viewer.calls)),
    );
    assert.deepEqual(calls, [[], ['setVariant("Oak")']]);
  });

  it('an iframe that is moved is connected again', async (t) => {
    const { page } = await open(t);
    await waitForViewer(page);
    await page.evaluate(() => {
      document.body.append(document.createElement('main'));
      document.querySelector('main')?.append(window.handle.iframe);
    });
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
  });

  it('another SDK that connects to the iframe ends the connection', async (t) => {
    const { page } = await open(t);
    await waitForViewer(page);
    await page.evaluate(() => {
      const { contentWindow, src } = window.handle.iframe;
      const { port1, port2 } = new MessageChannel();
      port1.start();
      contentWindow?.postMessage({ cloche: 'syn', versions: [1] }, new URL(src).origin, [port2]);
    });
    await waitForLog(page, ['ready', 'error sdk.disconnected']);
    const code = await page.evaluate(() => window.handle.play().catch(({ code }) => code));
    assert.equal(code, 'sdk.disconnected');
  });

  it('an iframe whose src is set later is connected then', async (t) => {
    const html = `${SCRIPT}<iframe title="Oak chair" data-src="VIEWER"></iframe>${CREATE}`;
    const { page, messages } = await open(t, '', { html });
    await page.evaluate(() => {
      const { iframe } = window.handle;
      iframe.src = String(iframe.dataset.src);
    });
    await waitForLog(page, ['ready']);
    assert.deepEqual(messages, []);
  });
});

/** Waits until the page has logged exactly these lines. */
async function waitForLog(page: Page, expected: string[]): Promise<void> {
  let log: string[] = [];
  const check = async () => {
    log = await page.evaluate(() => window.log);
    return log.length >= expected.length;
  };
  await waitUntil(() => `${JSON.stringify(expected)}, logged: ${JSON.stringify(log)}`, check);
  assert.deepEqual(log, expected);
}
