/** What decides about the Referer of an iframe. */
export type ReferrerInput = {
  /** The attribute `referrerpolicy` of the iframe. */
  attribute: string | undefined;
  /** The `content` of `<meta name="referrer">`. */
  meta: string | undefined;
  /** The values of the header `Referrer-Policy`. */
  headers: readonly string[];
  page: URL;
  url: URL;
};

const DEFAULT_POLICY = 'strict-origin-when-cross-origin';
const POLICIES: readonly string[] = [
  'no-referrer',
  'no-referrer-when-downgrade',
  'same-origin',
  'origin',
  'strict-origin',
  'origin-when-cross-origin',
  DEFAULT_POLICY,
  'unsafe-url',
];
/** Older names, which only `<meta>` may have. */
const LEGACY_POLICIES: Readonly<Record<string, string>> = {
  never: 'no-referrer',
  default: DEFAULT_POLICY,
  always: 'unsafe-url',
  'origin-when-crossorigin': 'origin-when-cross-origin',
};
const LOOPBACK_HOST = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Says whether browsers treat a URL as secure: https, or on the same machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || LOOPBACK_HOST.test(hostname);
}

/** Says whether the request for an iframe has no Referer, and by which policy. */
export function findReferrerPolicy(input: ReferrerInput): { policy: string; isHidden: boolean } {
  const policy = findPolicy(input);
  const { page, url } = input;
  if (policy === 'no-referrer') return { policy, isHidden: true };
  if (policy === 'same-origin') return { policy, isHidden: page.origin !== url.origin };
  const sendsAlways = ['origin', 'origin-when-cross-origin', 'unsafe-url'].includes(policy);
  const isDowngrade = page.protocol === 'https:' && !isSecure(url);
  return { policy, isHidden: !sendsAlways && isDowngrade };
}

/** The attribute takes precedence, then `<meta>`, then the header. Unknown values are ignored. */
function findPolicy({ attribute, meta, headers }: ReferrerInput): string {
  const names = headers.flatMap((value) => value.split(',')).map(normalize);
  const metaName = normalize(meta);
  return (
    [normalize(attribute), LEGACY_POLICIES[metaName] ?? metaName, ...names.reverse()].find((name) =>
      POLICIES.includes(name),
    ) ?? DEFAULT_POLICY
  );
}

function normalize(text = ''): string {
  return text.trim().toLowerCase();
}
