import type { TestSites } from './sites.ts';

/** Who plays in the cases: sites, the service, a design and tokens in every state. */
export type GateFixtures = {
  sites: TestSites;
  /** The same names under another port. */
  otherPortSites: TestSites;
  serviceOrigin: string;
  designId: string;
  tokens: { good: string; expired: string; revoked: string; secret: string };
};

/** A page to look at. */
export type GateCase = {
  name: string;
  url: string;
  shouldShow: boolean;
  /** The page has a button to press first. */
  clicksButton?: boolean;
  /** Told apart by `Sec-Fetch-Dest` alone, which browsers send to secure origins. */
  needsFetchMetadata?: boolean;
};

type SiteOptions = { hostname: string; sites?: TestSites; headers?: Record<string, string> };

/** Every way to come by a design that we know of, and whether it may show. */
export function makeGateCases(cast: GateFixtures): GateCase[] {
  return [
    ...makeAllowedCases(cast),
    ...makeUnlistedCases(cast),
    ...makeUnframedCases(cast),
    ...makeBadTokenCases(cast),
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

function makeAllowedCases(cast: GateFixtures): GateCase[] {
  const snippet = renderIframe(cast);
  const shows = (name: string, site: SiteOptions, html: string) =>
    addCase(cast, name, site, html, true);
  return [
    shows('allowed page', LISTED_SITE, snippet),
    {
      ...shows('allowed page that hides its Referer', LISTED_SITE, renderIframe(cast, NO_REFERRER)),
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
      wrapInFrame(cast, { hostname: 'a.wild.test' }, snippet),
    ),
  ];
}

function makeUnlistedCases(cast: GateFixtures): GateCase[] {
  const { sites } = cast;
  const snippet = renderIframe(cast);
  const refused = (name: string, site: SiteOptions, html: string) =>
    addCase(cast, name, site, html, false);
  return [
    refused('foreign page', UNLISTED_SITE, snippet),
    refused('foreign page that hides its Referer', UNLISTED_SITE, renderIframe(cast, NO_REFERRER)),
    refused('foreign > allowed > service', UNLISTED_SITE, wrapInFrame(cast, LISTED_SITE, snippet)),
    refused('allowed > foreign > service', LISTED_SITE, wrapInFrame(cast, UNLISTED_SITE, snippet)),
    refused(
      'allowed > foreign, hidden > service',
      LISTED_SITE,
      wrapInFrame(cast, UNLISTED_SITE, renderIframe(cast, NO_REFERRER)),
    ),
    refused('other port', { hostname: 'shop.test', sites: cast.otherPortSites }, snippet),
    refused('subdomain', { hostname: 'www.shop.test' }, snippet),
    refused('apex of a listed wildcard', { hostname: 'wild.test' }, snippet),
    refused('look-alike host', { hostname: 'shop.test.evil.test' }, snippet),
    refused('other look-alike host', { hostname: 'evilshop.test' }, snippet),
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
      'foreign page with srcdoc',
      UNLISTED_SITE,
      `<iframe width="460" height="380" style="border:0" srcdoc='${renderIframe(cast).replaceAll("'", '&#39;')}'></iframe>`,
    ),
  ];
}

function makeUnframedCases(cast: GateFixtures): GateCase[] {
  const src = toDocumentUrl(cast);
  const refused = (name: string, site: SiteOptions, html: string) =>
    addCase(cast, name, site, html, false);
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
    refused('fetch of the document, foreign', UNLISTED_SITE, renderReadAttack(`fetch('${src}')`)),
    refused(
      'fetch of the document, allowed page',
      LISTED_SITE,
      renderReadAttack(`fetch('${src}')`),
    ),
    refused('fetch of the asset with a stolen grant', UNLISTED_SITE, renderAssetReadAttack(src)),
  ];
}

function makeBadTokenCases(cast: GateFixtures): GateCase[] {
  const { expired, revoked, secret } = cast.tokens;
  const refused = (name: string, token: string) =>
    addCase(cast, name, LISTED_SITE, renderIframe(cast, { token }), false);
  return [
    refused('revoked token', revoked),
    refused('expired token', expired),
    refused('secret token', secret),
    refused('placeholder left in place', 'CLOCHE_EMBED_TOKEN'),
    refused('a token with one letter changed', changeLastLetter(cast.tokens.good)),
  ];
}

function addCase(
  cast: GateFixtures,
  name: string,
  site: SiteOptions,
  html: string,
  shouldShow: boolean,
): GateCase {
  const path = `/${name.replace(/[^a-z]+/g, '-')}`;
  const page = { html: renderPage(html), ...(site.headers && { headers: site.headers }) };
  return { name, shouldShow, url: (site.sites ?? cast.sites).addPage(site.hostname, path, page) };
}

function wrapInFrame(cast: GateFixtures, { hostname }: SiteOptions, html: string): string {
  const path = `/inner-${html.length}`;
  const url = cast.sites.addPage(hostname, path, renderPage(html));
  return `<iframe src="${url}" width="460" height="380" style="border:0"></iframe>`;
}

function renderIframe(
  cast: GateFixtures,
  options: { token?: string; referrer?: string } = {},
): string {
  const { token, referrer = 'strict-origin' } = options;
  return `<iframe src="${toDocumentUrl(cast, token)}" title="Magenta" loading="lazy" referrerpolicy="${referrer}" allow="fullscreen" width="440" height="360" style="border:0"></iframe>`;
}

function toDocumentUrl(
  { serviceOrigin, designId, tokens }: GateFixtures,
  token = tokens.good,
): string {
  return `${serviceOrigin}/embed/iframe/v1/${designId}?token=${token}`;
}

/** The snippet, gone if the page is not isolated after all. */
const removeUnlessIsolated = (snippet: string) =>
  `${snippet}<script>if (!crossOriginIsolated) document.body.remove()</script>`;

const renderPage = (html: string) => `<style>body{margin:0;background:#fff}</style><body>${html}`;

/** Paints the page magenta if a script gets to read what is not its own. */
function renderReadAttack(request: string): string {
  return `<script>
    ${request}.then((answer) => answer.text()).then((text) => {
      if (text.includes('id="viewer-config"')) document.body.style.background = '#f0f';
    }, () => {});
  </script>`;
}

function renderAssetReadAttack(src: string): string {
  return `<script>
    (async () => {
      const document_ = await fetch(src_).then((answer) => answer.text());
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
