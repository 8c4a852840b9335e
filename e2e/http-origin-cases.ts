import {
  createCase,
  type GateCase,
  type GateFixtures,
  renderIframe,
  type SiteOptions,
  wrapInFrame,
} from './gate-cases.ts';

const HIDDEN = 'no-referrer';
const SHOWN = 'strict-origin';

/**
 * Makes the cases for tokens with http origins. `frame-ancestors http://h` also allows the pages of `https://h`,
 * and Firefox hides the origin of a page from its iframes with `no-referrer`.
 */
export function makeHttpOriginCases(fixtures: GateFixtures): GateCase[] {
  const { tokens } = fixtures;
  const refused = (name: string, token: string, hostname: string, referrer: string) =>
    createHttpsCase(fixtures, name, { hostname }, renderIframe(fixtures, { token, referrer }));
  const nested = (name: string, outerReferrer: string) =>
    createHttpsCase(
      fixtures,
      name,
      { hostname: 'evil.test' },
      wrapInFrame(
        fixtures,
        { hostname: 'shop.test' },
        renderIframe(fixtures, { token: tokens.httpsShopAndHttpEvil, referrer: SHOWN }),
        outerReferrer,
      ),
    );
  return [
    refused('https page, http is listed', tokens.httpShop, 'shop.test', SHOWN),
    refused('hidden https page, http is listed', tokens.httpShop, 'shop.test', HIDDEN),
    refused(
      'hidden https page, http and another https origin are listed',
      tokens.httpShopAndHttpsOther,
      'shop.test',
      HIDDEN,
    ),
    refused('https page on localhost, http is listed', tokens.httpLocalhost, 'localhost', SHOWN),
    refused('hidden page on localhost, http is listed', tokens.httpLocalhost, 'localhost', HIDDEN),
    nested('https page around an allowed page, http is listed', SHOWN),
    nested('hidden https page around an allowed page, http is listed', HIDDEN),
    {
      ...createHttpsCase(
        fixtures,
        'hidden allowed page, http of another site is listed too',
        { hostname: 'shop.test' },
        renderIframe(fixtures, { token: tokens.httpsShopAndHttpEvil, referrer: HIDDEN }),
      ),
      shouldShow: true,
      needsScriptForPoster: true,
    },
  ];
}

/** Over plain http there are no https pages. */
function createHttpsCase(
  fixtures: GateFixtures,
  name: string,
  site: SiteOptions,
  html: string,
): GateCase {
  return { ...createCase(fixtures, name, site, html, false), needsFetchMetadata: true };
}
