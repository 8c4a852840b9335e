import {
  createCase,
  createGroup,
  createPair,
  type GateCase,
  LISTED,
  type Outcome,
  UNLISTED,
} from '../gate-case.ts';

/**
 * The outcome for an iframe with these flags on a listed page. Without scripts, only the poster is shown; without an origin too. In Chromium,
 * the document may be from the cache, and without scripts it cannot ask the service whether the poster may be shown.
 */
const FLAGS: readonly [flags: string, outcome: Outcome, inChromium?: Outcome][] = [
  ['', 'poster', 'message'],
  ['allow-scripts', 'poster'],
  ['allow-same-origin', 'poster', 'message'],
  ['allow-scripts allow-same-origin', 'shown'],
  ['allow-forms allow-modals allow-popups', 'poster', 'message'],
  ['allow-popups allow-popups-to-escape-sandbox', 'poster', 'message'],
  ['allow-top-navigation allow-scripts', 'poster'],
  ['allow-storage-access-by-user-activation allow-scripts', 'poster'],
  [
    'allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-presentation allow-same-origin allow-scripts',
    'shown',
  ],
];

/** Sandboxed iframes and pages. A page without an origin is never listed. */
export const SANDBOX_CASES: GateCase[] = createGroup('Sandbox', [
  ...FLAGS.flatMap(([flags, outcome, inChromium = outcome]) =>
    createPair(
      `sandbox="${flags}" on the iframe`,
      outcome,
      ({ frame }) => frame(`referrerpolicy="strict-origin" sandbox="${flags}"`),
      { outcomeIn: { Chromium: inChromium } },
    ),
  ),
  createCase(
    'listed page in a sandboxed iframe, listed page',
    LISTED,
    'denied',
    ({ nest, frame }) => nest(frame(), LISTED, 'sandbox="allow-scripts"'),
  ),
  createCase(
    'listed page in a sandboxed iframe with allow-same-origin, listed page',
    LISTED,
    'shown',
    ({ nest, frame }) => nest(frame(), LISTED, 'sandbox="allow-scripts allow-same-origin"'),
  ),
  createCase(
    'listed page in a sandboxed iframe with allow-same-origin, unlisted page',
    UNLISTED,
    'denied',
    ({ nest, frame }) => nest(frame(), LISTED, 'sandbox="allow-scripts allow-same-origin"'),
  ),
  createCase(
    'sandboxed srcdoc, listed page',
    LISTED,
    'denied',
    ({ frame }) =>
      `<iframe width="220" height="180" sandbox="allow-scripts" srcdoc='${frame()}'></iframe>`,
  ),
  createCase(
    'sandboxed page that hides its Referer, listed page',
    LISTED,
    'denied',
    ({ nest, frame }) =>
      nest(frame('referrerpolicy="no-referrer"'), LISTED, 'sandbox="allow-scripts"'),
  ),
  createCase(
    'page with the policy sandbox, listed page',
    { headers: { 'content-security-policy': 'sandbox allow-scripts' } },
    'denied',
    ({ frame }) => frame(),
  ),
  createCase(
    'page with the policy sandbox and allow-same-origin, listed page',
    { headers: { 'content-security-policy': 'sandbox allow-scripts allow-same-origin' } },
    'shown',
    ({ frame }) => frame(),
  ),
]);
