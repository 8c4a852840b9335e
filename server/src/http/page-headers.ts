type Headers = Readonly<Record<string, string>>;

/** Headers of API responses: no caching, no MIME sniffing. http/cors.ts adds headers for other origins. */
export const API_HEADERS: Headers = {
  vary: 'origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/**
 * Headers of every page in the iframe: the framed document and the error page. The policy of the framed
 * document is in embed/content-security-policy.ts. Pages that are cross-origin isolated require both CORP and
 * COEP of the pages they frame.
 */
export const FRAMED_PAGE_HEADERS: Headers = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'permissions-policy':
    'accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), screen-wake-lock=(), serial=(), usb=()',
  'x-robots-tag': 'noindex',
};

/**
 * Creates the headers that ask the browser for a process of its own for a page in the iframe. If the page around it is of another
 * site, they are not needed: browsers have started a process before the response arrives, and would replace it. See
 * docs/decisions/0092.
 *
 * @param secFetchSite the header `Sec-Fetch-Site` of the request
 */
export function createOwnProcessHeaders(
  publicOrigin: string,
  secFetchSite: string | undefined,
): Headers {
  // Browsers warn about it on origins that are not secure.
  if (!publicOrigin.startsWith('https:') || secFetchSite === 'cross-site') return {};
  return { 'origin-agent-cluster': '?1' };
}

/**
 * Creates the headers of the error page. Any page may frame it: it contains no data of a design. There is no
 * `frame-ancestors`: `*` would exclude pages without an origin.
 */
export function createErrorPageHeaders({
  scriptHash,
  styleHash,
}: {
  scriptHash: string;
  styleHash: string;
}): Headers {
  return {
    ...FRAMED_PAGE_HEADERS,
    'content-security-policy': `default-src 'none'; script-src ${scriptHash}; style-src ${styleHash}; base-uri 'none'; form-action 'none'`,
  };
}

/** Creates the headers of the page that a preview link opens: it frames a design, and no page frames it. */
export function createPreviewPageHeaders(styleHash: string): Headers {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; frame-src 'self'; style-src ${styleHash}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    // The URL contains the signed permission.
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  };
}

/** Creates the headers of the share page. Any page may frame it, like the design itself. */
export function createSharePageHeaders(styleHash: string): Headers {
  const { 'content-security-policy': policy = '', ...headers } =
    createPreviewPageHeaders(styleHash);
  return {
    ...headers,
    'content-security-policy': policy.replace("; frame-ancestors 'none'", ''),
    'cross-origin-resource-policy': 'cross-origin',
  };
}

/** The policy of the console and of the documentation. */
const OWN_PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Headers of the console. It frames previews, and shows posters. */
export const CONSOLE_PAGE_HEADERS: Headers = {
  'content-security-policy': OWN_PAGE_POLICY,
  // A session needs a Referer where the browser sends no Origin: GET requests over plain http.
  'referrer-policy': 'same-origin',
};

/** Headers of the documentation pages. */
export const DOCS_PAGE_HEADERS: Headers = {
  'content-security-policy': OWN_PAGE_POLICY,
  // With `no-referrer`, a browser may send `Origin: null` with the requests of the API page.
  'referrer-policy': 'same-origin',
};

/**
 * Creates the headers of the document around the result of an example. The `data:` page in it inherits the policy:
 * it runs the code of the reader, and loads nothing from other hosts.
 */
export function createExampleResultHeaders(publicUrl: string): Headers {
  const own = `'self' ${publicUrl}`;
  return {
    'content-security-policy': `default-src 'none'; script-src 'unsafe-inline' ${own}; style-src 'unsafe-inline'; img-src ${own} data: blob:; frame-src ${own} data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'`,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  };
}

/** Headers of a source file. It is untrusted, so browsers must not open it as a page. */
export const DOWNLOAD_HEADERS: Headers = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
};
