import { CHANGES, useOwnUser } from '../gate-actions.ts';
import {
  type CaseOptions,
  createCase,
  createGroup,
  type GateCase,
  LISTED,
  type Outcome,
  renderFrame,
  UNLISTED,
} from '../gate-case.ts';
import type { GateRun } from '../gate-run.ts';

/** Shows the design, changes something at the service, and loads the iframe again. */
const changeWhileOpen = (change: keyof typeof CHANGES, again: string) => (run: GateRun) =>
  `${run.frame()}<script>gate.run(async () => {
    if (!sessionStorage.getItem('${run.id}')) {
      sessionStorage.setItem('${run.id}', '1');
      await gate.loaded;
      await gate.call('served');
      await gate.call('${change}');
      await gate.call('reset');
      ${again}
    }
    await gate.call('answered');
  })</script>`;

const RELOAD_FRAME = "await gate.load(document.getElementById('embed'));";
const RELOAD_PAGE = 'location.reload(); await new Promise(() => {});';

const whileOpen = (
  name: string,
  change: keyof typeof CHANGES,
  outcome: Outcome,
  options: CaseOptions = {},
): GateCase[] =>
  createGroup('Changes while a page is open', [
    createCase(
      `${name}, then the iframe is loaded again`,
      LISTED,
      outcome,
      changeWhileOpen(change, RELOAD_FRAME),
      { ownDesign: true, ...options },
    ),
    createCase(
      `${name}, then the page is reloaded`,
      LISTED,
      outcome,
      changeWhileOpen(change, RELOAD_PAGE),
      { ownDesign: true, ...options },
    ),
  ]);

export const CHANGE_CASES: GateCase[] = [
  ...whileOpen('token is revoked', 'revoke', 'denied'),
  ...whileOpen('token expires', 'expire', 'denied'),
  ...whileOpen('token is rotated without a grace period', 'rotate', 'denied'),
  ...whileOpen('origin is removed from the list', 'list-another-site', 'denied'),
  ...whileOpen('token is limited to another design', 'limit-to-another-design', 'denied'),
  ...whileOpen('design is deleted', 'delete-design', 'denied'),
  ...whileOpen('user is disabled', 'disable-user', 'denied', { prepare: useOwnUser }),
  ...createGroup('Changes while a page is open', [
    createCase(
      'token is revoked, and the page stays open',
      LISTED,
      'shown',
      ({ frame }) =>
        `${frame()}<script>gate.run(async () => { await gate.call('served'); await gate.call('revoke'); })</script>`,
      { ownDesign: true },
    ),
    createCase(
      'origin is added to the list, then the iframe is loaded again',
      UNLISTED,
      'shown',
      ({ frame }) =>
        `${frame()}<script>gate.run(async () => {
        await gate.loaded;
        await gate.call('list-evil');
        await gate.call('reset');
        ${RELOAD_FRAME}
      })</script>`,
    ),
    createCase(
      'origin is removed, and the grant is used again',
      LISTED,
      'denied',
      () => `<script>gate.run(async () => {
      const { url, grant } = JSON.parse(await gate.call('stolen-grant'));
      await gate.call('list-another-site');
      const response = await fetch(url, { headers: { 'cloche-grant': grant } });
      await gate.report(await response.text());
    })</script>`,
      { kind: 'request' },
    ),
  ]),
];

/** Tokens and designs that never allow the page. */
export const TOKEN_CASES: GateCase[] = createGroup('Tokens and designs', [
  createCase('revoked token', LISTED, 'denied', renderFrame, { prepare: CHANGES.revoke }),
  createCase('expired token', LISTED, 'denied', renderFrame, { prepare: CHANGES.expire }),
  createCase(
    'revoked token, the page hides its Referer',
    LISTED,
    'denied',
    (run) => run.frame('referrerpolicy="no-referrer"'),
    { prepare: CHANGES.revoke },
  ),
  createCase('token for another design', LISTED, 'denied', renderFrame, {
    prepare: CHANGES['limit-to-another-design'],
  }),
  createCase('token of another user', LISTED, 'denied', renderFrame, {
    prepare: async (run, service) => {
      const secret = await service.addUser(`other-${run.id}`);
      run.use(await service.addToken({ origins: [run.toOrigin('shop.test')] }, secret));
    },
  }),
  createCase('deleted design', LISTED, 'denied', renderFrame, {
    ownDesign: true,
    prepare: CHANGES['delete-design'],
  }),
  createCase('disabled user', LISTED, 'denied', renderFrame, {
    prepare: async (run, service) => {
      await useOwnUser(run, service);
      await CHANGES['disable-user'](run, service);
    },
  }),
  createCase('secret token', LISTED, 'denied', renderFrame, {
    prepare: async (run, service) =>
      run.use(await service.addToken({ capabilities: ['read', 'embed'] })),
  }),
  createCase('secret token with the page in its list', LISTED, 'denied', renderFrame, {
    token: { capabilities: ['read', 'embed'] },
  }),
  ...(
    [
      ['placeholder in place of the token', () => 'CLOCHE_EMBED_TOKEN'],
      [
        'token with one letter changed',
        (token: string) => token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x'),
      ],
      ['token that is cut off', (token: string) => token.slice(0, -4)],
      ['token in another case', (token: string) => token.toUpperCase()],
      ['no token', () => ''],
    ] as const
  ).map(([name, change]) =>
    createCase(name, LISTED, 'denied', (run) =>
      run.frame('referrerpolicy="strict-origin"', run.toSrc(change(run.token.token)) + run.marker),
    ),
  ),
]);
