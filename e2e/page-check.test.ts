/** The check of a page says the same as Chromium does. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PageCheck } from '@cloche/contract/page-check';
import type { Page } from 'playwright-core';
import { LOOPBACK_FETCHING } from '../server/testing/page-server.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { type SitePage, TestSites } from './test-sites.ts';
import { makeCertificate } from './tls-proxy.ts';

const READY = 'html[data-state="ready"]';

it('a page that is checked is shown in Chromium, or not', async (t) => {
  const { sites, send, html, origin } = await openEmbeddedDesign(t, {
    pageFetching: LOOPBACK_FETCHING,
  });
  const iframe = html.replace('loading="lazy"', 'loading="eager"');
  const withPolicy = (policy: string, content = iframe): SitePage => ({
    html: content,
    headers: { 'content-security-policy': policy },
  });
  const withAttributes = (attributes: string) => iframe.replace('<iframe', `<iframe ${attributes}`);
  const rows: [name: string, shows: boolean, page: SitePage | string, host?: string][] = [
    ['as it is', true, iframe],
    ['a sandbox with all', true, withAttributes('sandbox="allow-scripts allow-same-origin"')],
    ['a policy with the service', true, withPolicy(`default-src 'none'; frame-src ${origin}`)],
    ['a wildcard', true, withPolicy(`frame-src *.test:${new URL(origin).port}`)],
    ['frame-src', false, withPolicy("frame-src 'self'")],
    ['default-src', false, withPolicy("default-src 'self'")],
    ['the default port', false, withPolicy('frame-src http://cloche.test')],
    [
      'meta',
      false,
      `<meta http-equiv=content-security-policy content="child-src a.test">${iframe}`,
    ],
    ['page sandbox', false, withPolicy('sandbox allow-scripts')],
    ['no same origin', false, withAttributes('sandbox="allow-scripts"')],
    ['no scripts', false, withAttributes('sandbox="allow-same-origin"')],
    ['srcdoc', false, withAttributes('srcdoc="<p>"')],
    ['comment', false, `<!-- ${iframe} -->`],
    ['noscript', false, `<noscript>${iframe}</noscript>`],
    ['template', false, `<template>${iframe}</template>`],
    ['text', false, iframe.replaceAll('<', '&lt;')],
    ['hidden origin', false, iframe.replace('strict-origin', 'no-referrer')],
    ['another origin', false, iframe, 'evil.test'],
    ['another token', false, iframe.replace(/token=[^"&]+/, 'token=CLOCHE_EMBED_TOKEN')],
  ];
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const opened: [name: string, shows: boolean, page: Page][] = [];
  for (const [index, [name, shows, content, host = 'shop.test']] of rows.entries()) {
    const url = sites.addPage(host, `/${index}`, content);
    const check = (await send('POST', '/v1/page-checks', { url })).json();
    assert.equal(check.shows, shows, `${name}: ${JSON.stringify(check)}`);
    const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
    await page.goto(url);
    if (shows) await page.frameLocator('iframe').locator(READY).waitFor();
    opened.push([name, shows, page]);
  }
  // An embed that was opened after all others is ready: the others had the same time.
  const last = await browser.newPage();
  await last.goto(sites.addPage('shop.test', '/last', iframe));
  await last.frameLocator('iframe').locator(READY).waitFor();
  for (const [name, shows, page] of opened) {
    const counts = await Promise.all(page.frames().map((frame) => frame.locator(READY).count()));
    assert.equal(counts.includes(1), shows, name);
  }
});

it('an http iframe in an https page is not shown', async (t) => {
  const certificate = await makeCertificate('shop.test');
  const sites = await TestSites.open(t, certificate);
  const { send, design, origin } = await openEmbeddedDesign(t, {
    pageFetching: { ...LOOPBACK_FETCHING, ca: certificate.cert },
  });
  const request = { capabilities: ['embed'], origins: [sites.getOrigin('shop.test')] };
  const { token } = (await send('POST', '/v1/tokens', request)).json();
  const { body } = await send('POST', '/embed/iframe/v1', { uri: design.uri });
  const url = sites.addPage('shop.test', '/', body.replace('CLOCHE_EMBED_TOKEN', token));
  const check: PageCheck = (await send('POST', '/v1/page-checks', { url })).json();
  assert.equal(check.shows, false);
  assert.deepEqual(
    check.embeds[0]?.findings.map(({ code }) => code),
    ['frame.mixed-content'],
  );

  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const blocked = page.waitForEvent('console', (message) =>
    /Mixed Content: .* insecure frame/.test(message.text()),
  );
  await page.goto(url);
  assert.ok((await blocked).text().includes(origin));
});

it('an embed has fullscreen in Chromium, or the check says that it has not', async (t) => {
  const { sites, send, html, origin } = await openEmbeddedDesign(t, {
    pageFetching: LOOPBACK_FETCHING,
  });
  const iframe = html.replace('loading="lazy"', 'loading="eager"');
  const withAllow = (attributes: string) => iframe.replace(/ allow="[^"]*"/, ` ${attributes}`);
  const withPolicy = (value: string): SitePage => ({
    html: iframe,
    headers: { 'permissions-policy': value },
  });
  const rows: [name: string, hasFullscreen: boolean, page: SitePage | string][] = [
    ['as it is', true, iframe],
    ['no attribute', false, withAllow('')],
    ['other features', false, withAllow('allow="camera; xr-spatial-tracking"')],
    ['none', false, withAllow(`allow="fullscreen 'none'"`)],
    ['only the page', false, withAllow(`allow="fullscreen 'self'"`)],
    ['only another origin', false, withAllow('allow="fullscreen https://other.example"')],
    ['the origin of the iframe', true, withAllow(`allow="fullscreen 'src'"`)],
    ['the service', true, withAllow(`allow="fullscreen 'self' ${origin}"`)],
    ['all', true, withAllow('allow="fullscreen *"')],
    ['the old attribute', true, withAllow('allowfullscreen')],
    ['a policy without any', false, withPolicy('fullscreen=()')],
    ['a policy with the page', false, withPolicy('fullscreen=(self)')],
    ['a policy with the service', true, withPolicy(`fullscreen=(self "${origin}")`)],
    ['a policy with all', true, withPolicy('fullscreen=*')],
    ['a policy for others', true, withPolicy('camera=()')],
  ];
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
  const wrong: string[] = [];
  for (const [index, [name, hasFullscreen, content]] of rows.entries()) {
    const url = sites.addPage('shop.test', `/${index}`, content);
    const check: PageCheck = (await send('POST', '/v1/page-checks', { url })).json();
    const codes = check.embeds[0]?.findings.map(({ code }) => code) ?? assert.fail(name);
    await page.goto(url);
    const frame = page.frameLocator('iframe').locator(READY);
    const isEnabled = await frame.evaluate(() => document.fullscreenEnabled);
    assert.equal(isEnabled, hasFullscreen, `Chromium: ${name}`);
    if (codes.includes('frame.fullscreen') === hasFullscreen) wrong.push(name);
  }
  assert.deepEqual(wrong, []);
});
