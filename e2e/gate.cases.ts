import type { Sites } from './sites.ts';

/** Who plays in the cases: sites, the service, a design and tokens in every state. */
export type Cast = {
  sites: Sites;
  /** The same names under another port. */
  otherSites: Sites;
  service: string;
  designId: string;
  tokens: { good: string; expired: string; revoked: string; secret: string };
};

/** A page to look at. */
export type Case = {
  name: string;
  url: string;
  shows: boolean;
  /** The page has a button to press first. */
  open?: boolean;
  /** Told apart by `Sec-Fetch-Dest` alone, which browsers send to secure origins. */
  needsFetchMetadata?: boolean;
};

type Site = { name: string; under?: Sites; headers?: Record<string, string> };

/** Every way to come by a design that we know of, and whether it may show. */
export function makeCases(cast: Cast): Case[] {
  return [...allowed(cast), ...foreign(cast), ...notFramed(cast), ...badTokens(cast)];
}

const SHOP: Site = { name: 'shop.test' };
const EVIL: Site = { name: 'evil.test' };
const ISOLATED: Site = {
  name: 'shop.test',
  headers: {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  },
};
const HIDDEN = { referrer: 'no-referrer' };

function allowed(cast: Cast): Case[] {
  const snippet = frame(cast);
  const shows = (name: string, site: Site, html: string) => put(cast, name, site, html, true);
  return [
    shows('allowed page', SHOP, snippet),
    {
      ...shows('allowed page that hides its Referer', SHOP, frame(cast, HIDDEN)),
      needsFetchMetadata: true,
    },
    shows(
      'allowed page with a page-wide no-referrer',
      { ...SHOP, headers: { 'referrer-policy': 'no-referrer' } },
      snippet,
    ),
    {
      ...shows('allowed page, cross-origin isolated', ISOLATED, isolated(snippet)),
      // Over plain http no page is cross-origin isolated.
      needsFetchMetadata: true,
    },
    shows('subdomain under a listed wildcard', { name: 'a.wild.test' }, snippet),
    shows('allowed > allowed > service', SHOP, nest(cast, { name: 'a.wild.test' }, snippet)),
  ];
}

function foreign(cast: Cast): Case[] {
  const { sites } = cast;
  const snippet = frame(cast);
  const refused = (name: string, site: Site, html: string) => put(cast, name, site, html, false);
  return [
    refused('foreign page', EVIL, snippet),
    refused('foreign page that hides its Referer', EVIL, frame(cast, HIDDEN)),
    refused('foreign > allowed > service', EVIL, nest(cast, SHOP, snippet)),
    refused('allowed > foreign > service', SHOP, nest(cast, EVIL, snippet)),
    refused('allowed > foreign, hidden > service', SHOP, nest(cast, EVIL, frame(cast, HIDDEN))),
    refused('other port', { name: 'shop.test', under: cast.otherSites }, snippet),
    refused('subdomain', { name: 'www.shop.test' }, snippet),
    refused('apex of a listed wildcard', { name: 'wild.test' }, snippet),
    refused('look-alike host', { name: 'shop.test.evil.test' }, snippet),
    refused('other look-alike host', { name: 'evilshop.test' }, snippet),
    refused(
      'opaque parent: a sandboxed frame of an allowed page',
      SHOP,
      `<iframe sandbox="allow-scripts" width="460" height="380" style="border:0" src="${sites.add('shop.test', '/opaque-inner', style(snippet))}"></iframe>`,
    ),
    refused(
      'opaque parent: a page under CSP sandbox',
      { ...SHOP, headers: { 'content-security-policy': 'sandbox allow-scripts' } },
      snippet,
    ),
    refused(
      'foreign page with srcdoc',
      EVIL,
      `<iframe width="460" height="380" style="border:0" srcdoc='${frame(cast).replaceAll("'", '&#39;')}'></iframe>`,
    ),
  ];
}

function notFramed(cast: Cast): Case[] {
  const src = address(cast);
  const refused = (name: string, site: Site, html: string) => put(cast, name, site, html, false);
  const size = 'width="460" height="380"';
  return [
    { name: 'top level', url: src, shows: false },
    {
      ...refused('window.open', SHOP, `<button onclick="window.open('${src}')">open</button>`),
      open: true,
    },
    {
      ...refused('link', SHOP, `<button onclick="location.href='${src}'">go</button>`),
      open: true,
    },
    {
      ...refused('<object> on an allowed page', SHOP, `<object ${size} data="${src}"></object>`),
      needsFetchMetadata: true,
    },
    {
      ...refused('<embed> on an allowed page', SHOP, `<embed ${size} src="${src}">`),
      needsFetchMetadata: true,
    },
    refused('fetch of the document, foreign', EVIL, thief(`fetch('${src}')`)),
    refused('fetch of the document, allowed page', SHOP, thief(`fetch('${src}')`)),
    refused('fetch of the asset with a stolen grant', EVIL, assetThief(src)),
  ];
}

function badTokens(cast: Cast): Case[] {
  const { expired, revoked, secret } = cast.tokens;
  const refused = (name: string, token: string) =>
    put(cast, name, SHOP, frame(cast, { token }), false);
  return [
    refused('revoked token', revoked),
    refused('expired token', expired),
    refused('secret token', secret),
    refused('placeholder left in place', 'CLOCHE_EMBED_TOKEN'),
    refused('a token with one letter changed', mistype(cast.tokens.good)),
  ];
}

function put(cast: Cast, name: string, site: Site, html: string, shows: boolean): Case {
  const path = `/${name.replace(/[^a-z]+/g, '-')}`;
  const page = { html: style(html), ...(site.headers && { headers: site.headers }) };
  return { name, shows, url: (site.under ?? cast.sites).add(site.name, path, page) };
}

function nest(cast: Cast, { name }: Site, html: string): string {
  const path = `/inner-${html.length}`;
  const url = cast.sites.add(name, path, style(html));
  return `<iframe src="${url}" width="460" height="380" style="border:0"></iframe>`;
}

function frame(cast: Cast, options: { token?: string; referrer?: string } = {}): string {
  const { token, referrer = 'strict-origin' } = options;
  return `<iframe src="${address(cast, token)}" title="Magenta" loading="lazy" referrerpolicy="${referrer}" allow="fullscreen" width="440" height="360" style="border:0"></iframe>`;
}

function address({ service, designId, tokens }: Cast, token = tokens.good): string {
  return `${service}/embed/iframe/v1/${designId}?token=${token}`;
}

/** The snippet, gone if the page is not isolated after all. */
const isolated = (snippet: string) =>
  `${snippet}<script>if (!crossOriginIsolated) document.body.remove()</script>`;

const style = (html: string) => `<style>body{margin:0;background:#fff}</style><body>${html}`;

/** Paints the page magenta if a script gets to read what is not its own. */
function thief(request: string): string {
  return `<script>
    ${request}.then((answer) => answer.text()).then((text) => {
      if (text.includes('id="framed"')) document.body.style.background = '#f0f';
    }, () => {});
  </script>`;
}

function assetThief(src: string): string {
  return `<script>
    (async () => {
      const document_ = await fetch(src_).then((answer) => answer.text());
      const framed = JSON.parse(/id="framed">(.*?)<\\/script>/.exec(document_)[1]);
      const asset = await fetch(new URL(framed.model.url, src_), { headers: { 'cloche-grant': framed.grant } });
      const start = new TextDecoder().decode((await asset.arrayBuffer()).slice(0, 4));
      if (start === 'glTF') document.body.style.background = '#f0f';
    })().catch(() => {});
  </script>`.replaceAll('src_', `'${src}'`);
}

function mistype(token: string): string {
  const last = token.at(-1) === 'x' ? 'y' : 'x';
  return token.slice(0, -1) + last;
}
