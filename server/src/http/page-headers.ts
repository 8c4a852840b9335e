type Headers = Readonly<Record<string, string>>;

/** Responses of the API: private, and read as the type they declare. */
export const API_HEADERS: Headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/**
 * Every page in the iframe: the framed document and the error page. The policy of the framed document
 * is in embed/content-security-policy.ts. Pages that are cross-origin isolated require both CORP and
 * COEP of the pages they frame.
 */
export const FRAMED_PAGE_HEADERS: Headers = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'origin-agent-cluster': '?1',
  'permissions-policy':
    'accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), screen-wake-lock=(), serial=(), usb=()',
  'x-robots-tag': 'noindex',
};

/** The error page in the iframe. Any page may frame it: it contains nothing of a design. */
export function createErrorPageHeaders(styleHash: string): Headers {
  return {
    ...FRAMED_PAGE_HEADERS,
    'content-security-policy': `default-src 'none'; style-src ${styleHash}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  };
}

/** The pages of the documentation. */
export const DOCS_PAGE_HEADERS: Headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  // Not no-referrer: requests that the API page sends must have their Origin.
  'referrer-policy': 'same-origin',
};

/** An uploaded file, sent back as it is: untrusted, so browsers must not open it as a page. */
export const DOWNLOAD_HEADERS: Headers = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
};
