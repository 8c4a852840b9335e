/** WebKit keeps a page that the visitor leaves, cancels its requests, and shows it again as it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { openWebKitSession } from './webkit.ts';

/** A start of WebKit on a busy machine. */
const WAIT = { timeoutMs: 200_000 };
const HOSTNAMES = ['cloche.test', 'shop.test'];

for (const [when, path] of [
  ['before the module script arrives', /^\/embed\/viewer\/viewer-/],
  ['while the model is loaded', /\.glb$/],
  ['while the controls are loaded', /^\/embed\/viewer\/mount-deferred/],
] as const) {
  const name = `a page in WebKit that is left ${when}, and opened again by back, shows the design with its controls`;
  test(name, { skip: skipWithout('WebKitWebDriver', 'Xvfb', 'bwrap') }, async (t) => {
    const { proxy, sites, html } = await openEmbeddedDesign(t, { secure: true });
    const { send } = await openWebKitSession(t, {
      capabilities: { acceptInsecureCerts: true, pageLoadStrategy: 'none' },
      hostnames: HOSTNAMES,
    });
    const run = (script: string) => send('POST', '/execute/sync', { script, args: [] });
    const countRequests = (pattern: RegExp) =>
      proxy.requested.filter((requested) => pattern.test(requested)).length;
    const isComplete = async () => {
      await send('POST', '/frame', { id: 0 });
      const isComplete = await run(
        'return document.querySelector(`[data-state="ready"][data-interactive] #error[hidden]`) !== null',
      );
      await send('POST', '/frame/parent', {});
      return isComplete;
    };
    proxy.interferences = [{ path, cutAt: 0.5, hangs: true }];
    const back = '<script>onload = () => setTimeout(() => history.back())</script>';
    const next = sites.addPage('shop.test', '/next', back);
    const page = sites.addPage('shop.test', '/left', html.replace('loading="lazy"', ''));
    await send('POST', '/url', { url: page });
    await waitUntil('the file is requested', () => countRequests(path) > 0, WAIT);
    proxy.interferences = [];
    // WebKit does not respond to some commands if a page leaves during them, so there is none until the page is back.
    await run(`globalThis.isKept = true; setTimeout(() => { location.href = '${next}'; }, 100)`);
    await waitUntil(
      'the design is requested again',
      () => countRequests(/^\/embed\/iframe/) > 1,
      WAIT,
    );
    await waitUntil('the file is requested again', () => countRequests(path) > 1, WAIT);
    await waitUntil('the model and the controls', isComplete, WAIT);
    assert.equal(await run('return globalThis.isKept'), true, 'WebKit has loaded the page again');
  });
}
