import { createHash } from 'node:crypto';
import type { TestSites } from './test-sites.ts';

/** The sites, the service, a design, and tokens in every state. */
export type GateFixtures = {
  sites: TestSites;
  /** The same host names on another port. */
  otherPortSites: TestSites;
  serviceOrigin: string;
  designId: string;
  tokens: { good: string; expired: string; revoked: string; secret: string } & HttpOriginTokens;
};

/** Tokens that list http origins: of shop.test and evil.test with the ports of their https sites, and of localhost. */
export type HttpOriginTokens = {
  httpShop: string;
  httpShopAndHttpsOther: string;
  httpLocalhost: string;
  httpsShopAndHttpEvil: string;
};

/** A page, and whether it may show the design. */
export type GateCase = {
  name: string;
  url: string;
  shouldShow: boolean;
  /** Where no script runs, the poster is not shown: the request names no page. */
  needsScriptForPoster?: boolean;
  /** The test clicks the button of the page first. */
  clicksButton?: boolean;
  /** The decision needs `Sec-Fetch-Dest`, which browsers send only to secure origins. */
  needsFetchMetadata?: boolean;
};

/** A page: its host, and the sites and headers if they are not the usual ones. */
export type SiteOptions = { hostname: string; sites?: TestSites; headers?: Record<string, string> };

/** Makes a case for each known way to access a design, with whether it may show the design. */
export function makeGateCases(fixtures: GateFixtures): GateCase[] {
  return [
    ...makeAllowedCases(fixtures),
    ...makeUnlistedCases(fixtures),
    ...makeUnframedCases(fixtures),
    ...makeBadTokenCases(fixtures),
  ];
}

const LISTED_SITE: SiteOptions = { hostname: 'shop.test' };
const UNLISTED_SITE: SiteOptions = { hostname: 'evil.test' };
const ISOLATED_SITE: SiteOptions = {
  hostname: 'shop.test',
  headers: {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  },
};
const NO_REFERRER = { referrer: 'no-referrer' };

function makeAllowedCases(fixtures: GateFixtures): GateCase[] {
  const snippet = renderIframe(fixtures);
  const shows = (name: string, site: SiteOptions, html: string) =>
    createCase(fixtures, name, site, html, true);
  return [
    shows('allowed page', LISTED_SITE, snippet),
    {
      ...shows(
        'allowed page that hides its Referer',
        LISTED_SITE,
        renderIframe(fixtures, NO_REFERRER),
      ),
      needsScriptForPoster: true,
      needsFetchMetadata: true,
    },
    shows(
      'allowed page with a page-wide no-referrer',
      { ...LISTED_SITE, headers: { 'referrer-policy': 'no-referrer' } },
      snippet,
    ),
    {
      ...shows('allowed page, cross-origin isolated', ISOLATED_SITE, removeUnlessIsolated(snippet)),
      // Over plain http no page is cross-origin isolated.
      needsFetchMetadata: true,
    },
    shows('subdomain under a listed wildcard', { hostname: 'a.wild.test' }, snippet),
    shows(
      'allowed > allowed > service',
      LISTED_SITE,
      wrapInFrame(fixtures, { hostname: 'a.wild.test' }, snippet),
    ),
  ];
}

function makeUnlistedCases(fixtures: GateFixtures): GateCase[] {
  const { sites } = fixtures;
  const snippet = renderIframe(fixtures);
  const refused = (name: string, site: SiteOptions, html: string) =>
    createCase(fixtures, name, site, html, false);
  return [
    refused('unlisted page', UNLISTED_SITE, snippet),
    refused(
      'unlisted page that hides its Referer',
      UNLISTED_SITE,
      renderIframe(fixtures, NO_REFERRER),
    ),
    refused(
      'unlisted > allowed > service',
      UNLISTED_SITE,
      wrapInFrame(fixtures, LISTED_SITE, snippet),
    ),
    refused(
      'allowed > unlisted > service',
      LISTED_SITE,
      wrapInFrame(fixtures, UNLISTED_SITE, snippet),
    ),
    refused(
      'allowed > unlisted, hidden > service',
      LISTED_SITE,
      wrapInFrame(fixtures, UNLISTED_SITE, renderIframe(fixtures, NO_REFERRER)),
    ),
    refused('other port', { hostname: 'shop.test', sites: fixtures.otherPortSites }, snippet),
    refused('subdomain', { hostname: 'www.shop.test' }, snippet),
    refused('apex of a listed wildcard', { hostname: 'wild.test' }, snippet),
    refused('similar host name', { hostname: 'shop.test.evil.test' }, snippet),
    refused('other similar host name', { hostname: 'evilshop.test' }, snippet),
    refused(
      'opaque parent: a sandboxed frame of an allowed page',
      LISTED_SITE,
      `<iframe sandbox="allow-scripts" width="460" height="380" style="border:0" src="${sites.addPage('shop.test', '/opaque-inner', renderPage(snippet))}"></iframe>`,
    ),
    refused(
      'opaque parent: a page under CSP sandbox',
      { ...LISTED_SITE, headers: { 'content-security-policy': 'sandbox allow-scripts' } },
      snippet,
    ),
    refused(
      'unlisted page with srcdoc',
      UNLISTED_SITE,
      `<iframe width="460" height="380" style="border:0" srcdoc='${renderIframe(fixtures).replaceAll("'", '&#39;')}'></iframe>`,
    ),
  ];
}

function makeUnframedCases(fixtures: GateFixtures): GateCase[] {
  const src = toDocumentUrl(fixtures);
  const refused = (name: string, site: SiteOptions, html: string) =>
    createCase(fixtures, name, site, html, false);
  const size = 'width="460" height="380"';
  return [
    { name: 'top level', url: src, shouldShow: false },
    {
      ...refused(
        'window.open',
        LISTED_SITE,
        `<button onclick="window.open('${src}')">open</button>`,
      ),
      clicksButton: true,
    },
    {
      ...refused('link', LISTED_SITE, `<button onclick="location.href='${src}'">go</button>`),
      clicksButton: true,
    },
    {
      ...refused(
        '<object> on an allowed page',
        LISTED_SITE,
        `<object ${size} data="${src}"></object>`,
      ),
      needsFetchMetadata: true,
    },
    {
      ...refused('<embed> on an allowed page', LISTED_SITE, `<embed ${size} src="${src}">`),
      needsFetchMetadata: true,
    },
    refused(
      'fetch of the document, unlisted page',
      UNLISTED_SITE,
      renderReadAttack(`fetch('${src}')`),
    ),
    refused(
      'fetch of the document, allowed page',
      LISTED_SITE,
      renderReadAttack(`fetch('${src}')`),
    ),
    refused('fetch of the asset with a stolen grant', UNLISTED_SITE, renderAssetReadAttack(src)),
  ];
}

function makeBadTokenCases(fixtures: GateFixtures): GateCase[] {
  const { expired, revoked, secret } = fixtures.tokens;
  const refused = (name: string, token: string) =>
    createCase(fixtures, name, LISTED_SITE, renderIframe(fixtures, { token }), false);
  return [
    refused('revoked token', revoked),
    refused('expired token', expired),
    refused('secret token', secret),
    refused('placeholder left in place', 'CLOCHE_EMBED_TOKEN'),
    refused('a token with one letter changed', changeLastLetter(fixtures.tokens.good)),
  ];
}

/** Creates a case: a page with this HTML on a site. */
export function createCase(
  fixtures: GateFixtures,
  name: string,
  site: SiteOptions,
  html: string,
  shouldShow: boolean,
): GateCase {
  const path = `/${name.replace(/[^a-z]+/g, '-')}`;
  const page = { html: renderPage(html), ...(site.headers && { headers: site.headers }) };
  return {
    name,
    shouldShow,
    url: (site.sites ?? fixtures.sites).addPage(site.hostname, path, page),
  };
}

/** Adds a page with this HTML, and returns an iframe with it. */
export function wrapInFrame(
  fixtures: GateFixtures,
  { hostname }: SiteOptions,
  html: string,
  referrer = 'strict-origin-when-cross-origin',
): string {
  const path = `/inner-${createHash('sha256').update(html).digest('hex')}`;
  const url = fixtures.sites.addPage(hostname, path, renderPage(html));
  return `<iframe src="${url}" referrerpolicy="${referrer}" width="460" height="380" style="border:0"></iframe>`;
}

/** Returns the HTML of the embed. */
export function renderIframe(
  fixtures: GateFixtures,
  options: { token?: string; referrer?: string } = {},
): string {
  const { token, referrer = 'strict-origin' } = options;
  return `<iframe src="${toDocumentUrl(fixtures, token)}" title="Magenta" loading="lazy" referrerpolicy="${referrer}" allow="fullscreen" width="440" height="360" style="border:0"></iframe>`;
}

function toDocumentUrl(
  { serviceOrigin, designId, tokens }: GateFixtures,
  token = tokens.good,
): string {
  return `${serviceOrigin}/embed/iframe/v1/${designId}?token=${token}`;
}

/** Removes the page, and with it the snippet, if it is not cross-origin isolated. */
const removeUnlessIsolated = (snippet: string) =>
  `${snippet}<script>if (!crossOriginIsolated) document.body.remove()</script>`;

const renderPage = (html: string) => `<style>body{margin:0;background:#fff}</style><body>${html}`;

/** Turns the page magenta if its script can read the framed document. */
function renderReadAttack(request: string): string {
  return `<script>
    ${request}.then((response) => response.text()).then((text) => {
      if (text.includes('id="viewer-config"')) document.body.style.background = '#f0f';
    }, () => {});
  </script>`;
}

function renderAssetReadAttack(src: string): string {
  return `<script>
    (async () => {
      const document_ = await fetch(src_).then((response) => response.text());
      const framed = JSON.parse(/id="viewer-config">(.*?)<\\/script>/.exec(document_)[1]);
      const asset = await fetch(new URL(framed.model.url, src_), { headers: { 'cloche-grant': framed.grant } });
      const start = new TextDecoder().decode((await asset.arrayBuffer()).slice(0, 4));
      if (start === 'glTF') document.body.style.background = '#f0f';
    })().catch(() => {});
  </script>`.replaceAll('src_', `'${src}'`);
}

function changeLastLetter(token: string): string {
  const last = token.at(-1) === 'x' ? 'y' : 'x';
  return token.slice(0, -1) + last;
}
