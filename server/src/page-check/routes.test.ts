import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type PageCheck, pageFindings } from '@cloche/contract/page-check';
import { openTestServer } from '../../testing/harness.ts';
import { openShop, type ShopPage, toIframe } from '../../testing/page-checks.ts';
import { PRIVATE_HOSTS } from '../../testing/private-hosts.ts';
import { issueToken, sendRequest, UNKNOWN_DESIGN_ID } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { generateTokenString } from '../tokens/token-string.ts';

const HOUR_MS = 60 * 60 * 1000;
const SDK = '<script src="https://cloche.test/sdk/v1/cloche.js"></script>';

function listCodes({ findings, embeds }: PageCheck): string[] {
  return [...findings, ...embeds.flatMap((embed) => embed.findings)].map(({ code }) => code);
}

function withPolicy(policy: string | string[], html: string): ShopPage {
  return { html, headers: { 'content-security-policy': policy } };
}

test('200: the HTML of the service is shown, without findings', async (t) => {
  const { server, design, token, src, checkPage } = await openShop(t);
  const check = await checkPage(`<!doctype html>\n${toIframe(`${src}&auto-rotate`)}`);
  assert.deepEqual(check, {
    url: `${server.origin}/chair`,
    redirects: [],
    shows: true,
    summary: 'The page shows its 1 embed.',
    findings: [],
    embeds: [
      {
        element: 'iframe',
        line: 2,
        design: design.id,
        tokenId: token.id,
        options: { autoRotate: true },
        shows: true,
        findings: [],
      },
    ],
    embedCount: 1,
  });
  assert.ok(!JSON.stringify(check).includes(token.token));
});

test('200: pages that show the design nevertheless', async (t) => {
  const { server, src, checkPage } = await openShop(t);
  const iframe = toIframe(src);
  const service = 'https://cloche.test';
  const pages: (ShopPage | string)[] = [
    withPolicy(`frame-src ${service}`, iframe),
    withPolicy("default-src 'none'; frame-src https:", iframe),
    withPolicy('frame-src *.test', iframe),
    withPolicy(`frame-src 'none', frame-src 'none'`.replaceAll("'none'", '*'), iframe),
    withPolicy("script-src 'none'; object-src 'none'", iframe),
    withPolicy('sandbox allow-scripts allow-same-origin', iframe),
    { html: iframe, headers: { 'content-security-policy-report-only': "default-src 'none'" } },
    { html: iframe, headers: { 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' } },
    { html: iframe, headers: { 'cross-origin-embedder-policy': 'require-corp' } },
    withPolicy('upgrade-insecure-requests', toIframe(src.replace('https:', 'http:'))),
    `<body><meta http-equiv="Content-Security-Policy" content="default-src 'none'">${iframe}`,
    `<base href="${service}/">${toIframe(src.slice(service.length))}`,
    toIframe(src, 'sandbox="allow-scripts allow-same-origin"'),
    `${SDK}<cloche-viewer title="a" src="${src}"></cloche-viewer>`,
    `${SDK}<cloche-viewer>${iframe}</cloche-viewer>`,
    `<!-- ${iframe} -->${iframe}<noscript>${iframe}</noscript>`,
  ];
  for (const page of pages) {
    const check = await checkPage(page);
    assert.equal(check.shows, true, `${JSON.stringify(page)} ${listCodes(check)}`);
  }
  assert.equal(server.requestCount(), pages.length);
});

test('200: each broken page has its own code', async (t) => {
  const { src, checkPage, service, design, server } = await openShop(t);
  const iframe = toIframe(src);
  const issue = async (changes: object) =>
    (await issueToken(service, { origins: [server.origin], ...changes })).token;
  const withToken = (token: string, id = design.id) =>
    toIframe(`https://cloche.test/embed/iframe/v1/${id}?token=${token}`);
  const revoked = await issueToken(service);
  await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const expired = await issue({ expiresAt });
  service.advanceTime(HOUR_MS + 1);
  const elsewhere = `${SDK}<cloche-viewer title="a" src="${src}">`;
  const rows: [code: string, page: ShopPage | string][] = [
    ['frame.as-text', iframe.replaceAll('<', '&lt;')],
    ['frame.in-comment', `<!-- ${iframe} -->`],
    ['frame.in-noscript', `<noscript>${iframe}</noscript>`],
    ['frame.in-template', `<template><div>${iframe}</div></template>`],
    ['frame.other-element', `<object data="${src}" title="a"></object>`],
    ['frame.other-element', `<embed src="${src}" title="a">`],
    ['frame.other-service', toIframe(src.replace('cloche.test', 'other.test'))],
    ['frame.other-service', toIframe(src.replace('https://cloche.test', ''))],
    ['frame.srcdoc', toIframe(src, 'srcdoc="<p>"')],
    ['frame.mixed-content', toIframe(src.replace('https:', 'http:'))],
    ['frame.csp', withPolicy("frame-src 'self'", iframe)],
    ['frame.csp', withPolicy("child-src 'none'; default-src *", iframe)],
    ['frame.csp', withPolicy("default-src 'self'", iframe)],
    ['frame.csp', withPolicy(["frame-src *, frame-src 'none'"], iframe)],
    ['frame.csp', withPolicy('frame-src https://cloche.test/embed', iframe)],
    ['frame.csp', withPolicy('frame-src https://cloche.test:8443', iframe)],
    ['frame.csp', `<meta http-equiv=content-security-policy content="frame-src a.test">${iframe}`],
    ['frame.page-sandbox', withPolicy('sandbox allow-scripts', iframe)],
    ['frame.sandbox', toIframe(src, 'sandbox')],
    ['frame.sandbox', toIframe(src, 'sandbox="allow-scripts"')],
    ['frame.hidden', toIframe(src, 'hidden')],
    ['frame.hidden', toIframe(src, 'width="0"')],
    ['frame.hidden', toIframe(src, 'style="display: none"')],
    ['element.source', `${SDK}<cloche-viewer title="a"></cloche-viewer>`],
    ['element.no-script', `<cloche-viewer title="a" src="${src}"></cloche-viewer>`],
    ['element.script-csp', withPolicy("script-src 'self'", elsewhere)],
    ['element.script-csp', withPolicy("script-src https: 'strict-dynamic'", elsewhere)],
    ['token.missing', toIframe(src.replace(/\?.*/, ''))],
    ['embed.placeholder', withToken('CLOCHE_EMBED_TOKEN')],
    ['token.malformed', withToken('cloche_pk_x')],
    ['token.unknown', withToken(generateTokenString('public'))],
    ['token.revoked', withToken(revoked.token)],
    ['token.expired', withToken(expired)],
    ['embed.secret-token', withToken(service.token)],
    ['token.design', withToken(await issue({ designs: [UNKNOWN_DESIGN_ID] }))],
    ['embed.origin', withToken(await issue({ origins: ['https://www.shop.example'] }))],
    ['design.unknown', toIframe(src.replace(design.id, UNKNOWN_DESIGN_ID))],
    ['design.unknown', toIframe(src.replace(design.id, 'nonsense'))],
    ['design.not-shared', toIframe(`https://cloche.test/embed/share/v1/${design.id}`)],
  ];
  for (const [code, page] of rows) {
    const check = await checkPage(page);
    const label = `${code} ${JSON.stringify(page)} ${listCodes(check)}`;
    assert.equal(check.shows, false, label);
    assert.deepEqual(listCodes(check), [code], label);
    const [finding] = check.embeds[0]?.findings ?? [];
    assert.ok(finding && finding.detail.length > 20 && finding.fix.length > 10, label);
    assert.doesNotMatch(finding.fix, /\{origin\}/);
    if (code === 'embed.origin') assert.ok(finding.fix.includes(server.origin), finding.fix);
    assert.match(check.summary, /0 of them can be shown\. First: /);
  }
});

test('200: warnings do not prevent that the design is shown', async (t) => {
  const { src, checkPage, service, design } = await openShop(t);
  const iframe = toIframe(src);
  await sendRequest(service, 'PATCH', `/v1/designs/${design.id}`, { shared: true });
  const plain = `<iframe title="a" src="${src}"></iframe>`;
  const allowed = 'allow="fullscreen"';
  const rows: [code: string, shows: boolean | null, page: ShopPage | string][] = [
    ['frame.no-src', null, iframe.replace(' src=', ' data-src=')],
    ['frame.in-hidden', true, `<div hidden><div></div>${iframe}</div>`],
    ['frame.in-hidden', true, `<details>${iframe}</details>`],
    ['frame.title', true, iframe.replace('Oak chair', ' ')],
    ['frame.fullscreen', true, plain],
    ['frame.fullscreen', true, iframe.replace('fullscreen;', "fullscreen 'self' https://a.test;")],
    [
      'frame.fullscreen',
      true,
      { html: iframe, headers: { 'permissions-policy': 'fullscreen=()' } },
    ],
    ['frame.options', true, toIframe(`${src}&auto-rotat=1`)],
    ['frame.shared', true, toIframe(`https://cloche.test/embed/share/v1/${design.id}`)],
    ['element.script', null, `<script></script><cloche-viewer title="a" src="${src}">`],
    [
      'frame.referrer',
      true,
      {
        html: plain.replace('title', `${allowed} title`),
        headers: { 'referrer-policy': 'origin, no-referrer' },
      },
    ],
    [
      'frame.referrer',
      true,
      `<meta name=referrer content=never>${plain.replace('title', `${allowed} title`)}`,
    ],
    ['page.refresh', true, `<meta http-equiv="refresh" content="5; url=/next">${iframe}`],
  ];
  for (const [code, shows, page] of rows) {
    const check = await checkPage(page);
    const label = `${code} ${JSON.stringify(page)} ${listCodes(check)}`;
    assert.deepEqual(listCodes(check), [code], label);
    assert.equal(check.shows, shows, label);
  }
});

test('200: an http page around a service without https', async (t) => {
  const { src, checkPage } = await openShop(t, { secure: false, publicUrl: 'http://cloche.test' });
  assert.deepEqual(listCodes(await checkPage(toIframe(src))), ['frame.http']);
  // The browser sends neither Referer nor Sec-Fetch-Dest.
  const hidden = await checkPage(toIframe(src).replace('strict-origin', 'no-referrer'));
  assert.deepEqual(listCodes(hidden), ['embed.unverified-origin', 'frame.http']);
});

test('200: a page without embeds', async (t) => {
  const { checkPage } = await openShop(t);
  for (const html of ['', '<iframe src="https://video.example/embed/1"></iframe>', '<!-- a -->']) {
    const { shows, summary, embeds } = await checkPage(html);
    assert.equal(shows, false);
    assert.deepEqual(embeds, []);
    assert.match(summary, /no embed of this service.*a script inserts/);
  }
});

test('200: a page that redirects is checked for its final origin', async (t) => {
  const { service, server, pages, src } = await openShop(t);
  const target = `https://www.shop.example:${server.port}/chair`;
  pages.set('/old', { html: '', headers: { location: target } });
  pages.set('/chair', { html: toIframe(src) });
  const body = { url: `${server.origin}/old` };
  const check: PageCheck = (await sendRequest(service, 'POST', '/v1/page-checks', body)).json();
  assert.equal(check.url, target);
  assert.deepEqual(check.redirects, [target]);
  assert.deepEqual(listCodes(check), ['page.redirected', 'embed.origin']);
});

test('200: about the tokens and designs of other users only that they are not yours', async (t) => {
  const { service, src, checkPage, token, design } = await openShop(t);
  const database = connectToServerDatabase(t, service);
  await database.exec(
    `INSERT INTO "user" (id, name, created_at) VALUES ('usr_anna', 'anna', '2026-01-01T00:00:00.000Z')`,
  );
  const anna = await issueToken(service, { capabilities: ['read'], origins: [], user: 'anna' });
  for (const html of [toIframe(src), toIframe(src.replace(design.id, UNKNOWN_DESIGN_ID))]) {
    const check = await checkPage(html, anna);
    assert.deepEqual(listCodes(check), ['token.not-yours']);
    assert.equal(check.shows, null);
    assert.ok(!JSON.stringify(check).includes(token.id));
  }
  await sendRequest(service, 'DELETE', `/v1/tokens/${token.id}`);
  assert.deepEqual(listCodes(await checkPage(toIframe(src), anna)), ['token.not-yours']);
  const limited = await issueToken(service, {
    capabilities: ['read'],
    origins: [],
    designs: [UNKNOWN_DESIGN_ID],
  });
  assert.deepEqual(listCodes(await checkPage(toIframe(src), limited)), ['token.not-yours']);
});

test('200: at most 50 embeds are checked', async (t) => {
  const { src, checkPage } = await openShop(t);
  const check = await checkPage(toIframe(src).repeat(60));
  assert.equal(check.embeds.length, 50);
  assert.equal(check.embedCount, 60);
});

test('400, 403 and 422: requests that are refused', async (t) => {
  const { service, server } = await openShop(t);
  const { token } = await issueToken(service, { capabilities: ['write'], origins: [] });
  const send = (body: object, client = service) =>
    sendRequest(client, 'POST', '/v1/page-checks', body);
  const url = `${server.origin}/`;
  assert.equal((await send({ url }, { ...service, token })).json().code, 'token.capability');
  for (const body of [{}, { url: 1 }, { url: '' }, { url, page: 1 }, { url: 'a'.repeat(2001) }])
    assert.equal((await send(body)).json().code, 'request.invalid', JSON.stringify(body));
  for (const text of ['shop.example', 'file:///etc/passwd', 'https://a:b@shop.example'])
    assert.equal((await send({ url: text })).json().code, 'page.url', text);
  assert.equal((await send({ url: 'http://10.0.0.1/' })).json().code, 'page.private-address');
  assert.equal(server.requestCount(), 0);
});

test('422: pages at private addresses, to which nothing is sent', async (t) => {
  const { checkPage } = await openShop(t);
  const service = await openTestServer(t, { limits: { pageChecksPerMinute: 0 } });
  const requests: unknown[] = [];
  const record = (message: unknown) => void requests.push(message);
  subscribe('http.client.request.start', record);
  t.after(() => unsubscribe('http.client.request.start', record));
  for (const host of PRIVATE_HOSTS) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}/`;
      const response = await sendRequest(service, 'POST', '/v1/page-checks', { url });
      assert.equal(response.statusCode, 422, url);
      assert.equal(response.json().code, 'page.private-address', url);
    }
  }
  assert.equal(requests.length, 0);
  await checkPage('');
  assert.equal(requests.length, 1, 'a request to another address is seen');
});

test('429: more pages than a user may check in a minute', async (t) => {
  const { service, server } = await openShop(t, { limits: { pageChecksPerMinute: 2 } });
  const { token } = await issueToken(service, { capabilities: ['read'], origins: [] });
  const send = (client = service) =>
    sendRequest(client, 'POST', '/v1/page-checks', { url: server.origin });
  assert.equal((await send()).statusCode, 200);
  assert.equal((await send({ ...service, token })).statusCode, 200);
  const response = await send();
  assert.equal(response.json().code, 'request.rate-limited');
  assert.equal(server.requestCount(), 2);
});

test('every finding has a test', async () => {
  const text = await readFile(import.meta.filename, 'utf8');
  const untested = Object.keys(pageFindings).filter((code) => !text.includes(`'${code}'`));
  assert.deepEqual(untested, []);
});

test('docs/embed.md explains every finding', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../docs/embed.md'), 'utf8');
  const table = text.slice(text.indexOf('## Check a page'), text.indexOf('## Where to paste'));
  const documented = [...table.matchAll(/`((?:page|frame|element|token)\.[a-z-]+)`/g)];
  const codes = documented.map(([, code = '']) => code);
  assert.deepEqual(codes.toSorted(), Object.keys(pageFindings).toSorted());
});
