import {
  createCase,
  createGroup,
  type GateCase,
  LISTED,
  type PageOptions,
  UNLISTED,
} from '../gate-case.ts';
import type { GateRun } from '../gate-run.ts';

const POLICIES = [
  'no-referrer',
  'no-referrer-when-downgrade',
  'origin',
  'origin-when-cross-origin',
  'same-origin',
  'strict-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
];
/** With these, a page of another site is not named at all. */
const HIDDEN = ['no-referrer', 'same-origin'];

const byAttribute = (policy: string) => (run: GateRun) => run.frame(`referrerpolicy="${policy}"`);
const byMeta = (policy: string) => (run: GateRun) =>
  `<meta name="referrer" content="${policy}">${run.frame('')}`;
const byHeader = (page: PageOptions, policy: string): PageOptions => ({
  ...page,
  headers: { 'referrer-policy': policy },
});
const frame = (run: GateRun) => run.frame('');

const HTTP: PageOptions = { scheme: 'http' };
const httpList = ({ toOrigin }: Pick<GateRun, 'toOrigin'>) => [toOrigin('shop.test', HTTP)];
/** Over plain http, browsers send no other header that proves anything. */
const OVER_HTTP = { service: 'http', origins: httpList } as const;

/** The eight policies, in the three places where a page can set them. */
export const REFERRER_CASES: GateCase[] = createGroup('Referrer policies', [
  ...POLICIES.flatMap((policy) => [
    createCase(`${policy} in the attribute, listed page`, LISTED, 'shown', byAttribute(policy)),
    createCase(
      `${policy} in the attribute, unlisted page`,
      UNLISTED,
      'denied',
      byAttribute(policy),
    ),
    createCase(`${policy} in <meta>, unlisted page`, UNLISTED, 'denied', byMeta(policy)),
    createCase(
      `${policy} in the header, unlisted page`,
      byHeader(UNLISTED, policy),
      'denied',
      frame,
    ),
    createCase(
      `${policy} in the attribute, listed http page and http service`,
      HTTP,
      HIDDEN.includes(policy) ? 'denied' : 'shown',
      byAttribute(policy),
      OVER_HTTP,
    ),
    createCase(
      `${policy} in <meta>, unlisted http page and http service`,
      { ...HTTP, ...UNLISTED },
      'denied',
      byMeta(policy),
      OVER_HTTP,
    ),
  ]),
  createCase('no-referrer in <meta>, listed page', LISTED, 'shown', byMeta('no-referrer')),
  createCase(
    'no-referrer in the header, listed page',
    byHeader(LISTED, 'no-referrer'),
    'shown',
    frame,
  ),
  createCase(
    'no-referrer in the header, strict-origin in the attribute, unlisted page',
    byHeader(UNLISTED, 'no-referrer'),
    'denied',
    byAttribute('strict-origin'),
  ),
]);
