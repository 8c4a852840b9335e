import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import { PublicHost } from '../http/public-host.ts';
import {
  type AuthorizationInput,
  assertDesignInScope,
  assertMayAccessDesign,
  assertMayCreateDesigns,
  assertMayManageToken,
  assertMayRevokeDescendants,
  assertMayRotateToken,
  authorize,
  getUserOfNewToken,
  mayAccessUpload,
  mayManageToken,
} from './authorize.ts';
import { createToken, type NewToken, type TokenRecord } from './token.ts';

const SHOP_ORIGIN = 'https://shop.example';
const SERVICE_ORIGIN = 'https://cloche.example';
const WITHOUT_BROWSER_HEADERS: AuthorizationInput = {
  requiredAnyOf: ['read'],
  origin: undefined,
  secFetchSite: undefined,
  publicHost: new PublicHost(SERVICE_ORIGIN),
};

type Outcome = ProblemCode | 'allowed';

function createTestToken(changes: Partial<NewToken> = {}): TokenRecord {
  const newToken: NewToken = {
    user: 'usr_1',
    name: '',
    capabilities: ['read'],
    origins: [],
    designs: undefined,
    expiresAt: undefined,
    ...changes,
  };
  return createToken(newToken, new Date()).token;
}

function assertOutcome(act: () => void, outcome: Outcome): void {
  if (outcome === 'allowed') act();
  else assert.throws(act, (error) => error instanceof Problem && error.code === outcome);
}

type RequestCase = [reason: string, input: Partial<AuthorizationInput>, outcome: Outcome];

// A token without origins is for servers: a request from a browser is refused.
const serverTokenCases: RequestCase[] = [
  ['no browser', {}, 'allowed'],
  ['URL typed into the address bar', { secFetchSite: 'none' }, 'allowed'],
  ['page', { origin: SHOP_ORIGIN }, 'token.secret-in-browser'],
  ['page of this service', { origin: SERVICE_ORIGIN }, 'token.secret-in-browser'],
  ['sandboxed page', { origin: 'null' }, 'token.secret-in-browser'],
  ['empty Origin', { origin: '' }, 'token.secret-in-browser'],
  ['same-origin', { secFetchSite: 'same-origin' }, 'token.secret-in-browser'],
  ['same-site', { secFetchSite: 'same-site' }, 'token.secret-in-browser'],
  ['cross-site', { secFetchSite: 'cross-site' }, 'token.secret-in-browser'],
  ['unknown Sec-Fetch-Site', { secFetchSite: 'x' }, 'token.secret-in-browser'],
  ['empty Sec-Fetch-Site', { secFetchSite: '' }, 'token.secret-in-browser'],
  [
    'page, capability missing',
    { origin: SHOP_ORIGIN, requiredAnyOf: ['write'] },
    'token.secret-in-browser',
  ],
  ['capability missing', { requiredAnyOf: ['write'] }, 'token.capability'],
  ['one of two capabilities', { requiredAnyOf: ['embed', 'read'] }, 'allowed'],
];

// A token with origins may be used by pages on these origins, and by servers.
const pageTokenCases: RequestCase[] = [
  ['no browser', {}, 'allowed'],
  ['listed page', { origin: SHOP_ORIGIN }, 'allowed'],
  ['listed page, cross-site', { origin: SHOP_ORIGIN, secFetchSite: 'cross-site' }, 'allowed'],
  ['page that is not listed', { origin: 'https://evil.example' }, 'token.origin'],
  ['different scheme', { origin: 'http://shop.example' }, 'token.origin'],
  ['longer host', { origin: `${SHOP_ORIGIN}.evil.example` }, 'token.origin'],
  ['sandboxed page', { origin: 'null' }, 'token.origin'],
  ['empty Origin', { origin: '' }, 'token.origin'],
  ['cross-site, no Origin', { secFetchSite: 'cross-site' }, 'token.origin'],
  ['same-site, no Origin', { secFetchSite: 'same-site' }, 'token.origin'],
  ['page of this service, not listed', { secFetchSite: 'same-origin' }, 'token.origin'],
  [
    'listed page, capability missing',
    { origin: SHOP_ORIGIN, requiredAnyOf: ['write'] },
    'token.capability',
  ],
];

const LOCAL_ORIGIN = 'http://localhost:8787';
const local = { publicHost: new PublicHost(LOCAL_ORIGIN) };

// A token that lists the origin of this service may be used by its pages. A GET request of such a page has no
// Origin header, and a page that hides its URL sends `null`.
const ownPageTokenCases: RequestCase[] = [
  ['GET', { secFetchSite: 'same-origin' }, 'allowed'],
  ['POST', { secFetchSite: 'same-origin', origin: SERVICE_ORIGIN }, 'allowed'],
  ['POST without Sec-Fetch-Site, as on plain http', { origin: SERVICE_ORIGIN }, 'allowed'],
  ['POST of a page that hides its URL', { secFetchSite: 'same-origin', origin: 'null' }, 'allowed'],
  ['sandboxed page', { secFetchSite: 'cross-site', origin: 'null' }, 'token.origin'],
  ['page of another service', { ...local, secFetchSite: 'same-origin' }, 'token.origin'],
  ['subdomain', { secFetchSite: 'same-site' }, 'token.origin'],
  ['another page', { secFetchSite: 'cross-site', origin: SHOP_ORIGIN }, 'token.origin'],
];

const localTokenCases: RequestCase[] = [
  ['GET', { ...local, secFetchSite: 'same-origin' }, 'allowed'],
  [
    'POST under another name of the loopback host',
    { ...local, secFetchSite: 'same-origin', origin: 'http://127.0.0.1:8787' },
    'allowed',
  ],
  [
    'POST from another name of the loopback host',
    { ...local, secFetchSite: 'cross-site', origin: 'http://127.0.0.1:8787' },
    'token.origin',
  ],
  [
    'POST from another port',
    { ...local, secFetchSite: 'same-site', origin: 'http://localhost:5173' },
    'token.origin',
  ],
];

for (const [kind, origins, cases] of [
  ['token without origins', [], serverTokenCases],
  ['token with origins', [SHOP_ORIGIN], pageTokenCases],
  ['token of our own pages', [SERVICE_ORIGIN], ownPageTokenCases],
  ['token of our own pages on localhost', [LOCAL_ORIGIN], localTokenCases],
  ['token of our own pages, by address', ['http://127.0.0.1:8787'], localTokenCases.slice(0, 2)],
] as const) {
  for (const [reason, changes, outcome] of cases) {
    test(`request: ${kind}, ${reason}: ${outcome}`, () => {
      const input = { ...WITHOUT_BROWSER_HEADERS, ...changes };
      assertOutcome(() => authorize(createTestToken({ origins }), input), outcome);
    });
  }
}

test('the problem does not repeat an untrusted Origin', () => {
  const origin = '<b>\u202eevil\n';
  assert.throws(
    () =>
      authorize(createTestToken({ origins: [SHOP_ORIGIN] }), {
        ...WITHOUT_BROWSER_HEADERS,
        origin,
      }),
    (error) => error instanceof Problem && !error.message.includes('evil'),
  );
});

type DesignCase = [
  reason: string,
  designs: string[] | undefined,
  owner: string | undefined,
  outcome: Outcome,
];

const designCases: DesignCase[] = [
  ['no list', undefined, 'usr_1', 'allowed'],
  ['in the list', ['other', 'chair'], 'usr_1', 'allowed'],
  ['not in the list', ['other'], 'usr_1', 'token.design'],
  ['empty list', [], 'usr_1', 'token.design'],
  ['does not exist', undefined, undefined, 'design.unknown'],
  ['does not exist, in the list', ['chair'], undefined, 'design.unknown'],
  ['of another user', undefined, 'usr_2', 'design.unknown'],
  ['of another user, in the list', ['chair'], 'usr_2', 'design.unknown'],
  ['of another user, not in the list', ['other'], 'usr_2', 'design.unknown'],
];

for (const [reason, designs, owner, outcome] of designCases) {
  test(`design: ${reason}: ${outcome}`, () => {
    const token = createTestToken({ designs });
    const design = owner === undefined ? undefined : { user: owner };
    assertOutcome(() => assertMayAccessDesign(token, design, 'chair'), outcome);
    if (owner === 'usr_1') assertOutcome(() => assertDesignInScope(token, 'chair'), outcome);
  });
}

const createDesignCases: [reason: string, designs: string[] | undefined, outcome: Outcome][] = [
  ['no list', undefined, 'allowed'],
  ['a list', ['chair'], 'token.design'],
  ['an empty list', [], 'token.design'],
];

for (const [reason, designs, outcome] of createDesignCases) {
  test(`new design, token with ${reason}: ${outcome}`, () => {
    assertOutcome(() => assertMayCreateDesigns(createTestToken({ designs })), outcome);
  });
}

type UploadCase = [
  reason: string,
  designs: string[] | undefined,
  upload: { user: string; designId: string | undefined },
  allowed: boolean,
];

const uploadCases: UploadCase[] = [
  ['new design, no list', undefined, { user: 'usr_1', designId: undefined }, true],
  ['new revision, no list', undefined, { user: 'usr_1', designId: 'chair' }, true],
  ['new revision, in the list', ['chair'], { user: 'usr_1', designId: 'chair' }, true],
  ['new revision, not in the list', ['other'], { user: 'usr_1', designId: 'chair' }, false],
  ['new design, token with a list', ['chair'], { user: 'usr_1', designId: undefined }, false],
  ['of another user', undefined, { user: 'usr_2', designId: undefined }, false],
  ['of another user, in the list', ['chair'], { user: 'usr_2', designId: 'chair' }, false],
];

for (const [reason, designs, upload, allowed] of uploadCases) {
  test(`upload: ${reason}: ${allowed ? 'allowed' : 'refused'}`, () => {
    assert.equal(mayAccessUpload(createTestToken({ designs }), upload), allowed);
  });
}

const limited = { origins: [SHOP_ORIGIN], designs: ['chair'] };
const inOneHour = new Date(Date.now() + 60 * 60 * 1000);

type TokenCase = [
  reason: string,
  token: Partial<NewToken>,
  target: Partial<NewToken> | undefined,
  manage: Outcome,
  rotate: Outcome,
];

// Whether a token may be used to list, read, check, change and revoke another token, and to rotate it.
const tokenCases: TokenCase[] = [
  ['no limits', {}, {}, 'allowed', 'allowed'],
  ['no limits, limited target', {}, limited, 'allowed', 'allowed'],
  [
    'no limits, more capabilities',
    {},
    { capabilities: ['write'] },
    'allowed',
    'token.scope-exceeded',
  ],
  ['an expiry', { expiresAt: inOneHour }, {}, 'allowed', 'token.scope-exceeded'],
  ['same limits', limited, limited, 'allowed', 'allowed'],
  [
    'limited to origins, target is not',
    { origins: [SHOP_ORIGIN] },
    {},
    'token.not-found',
    'token.not-found',
  ],
  [
    'limited to origins, one more',
    { origins: [SHOP_ORIGIN] },
    { origins: [SHOP_ORIGIN, 'https://fair.example'] },
    'token.not-found',
    'token.not-found',
  ],
  [
    'limited to a wildcard',
    { origins: ['https://*.shop.example'] },
    { origins: ['https://a.shop.example'] },
    'allowed',
    'allowed',
  ],
  [
    'limited to designs, target is not',
    { designs: ['chair'] },
    {},
    'token.not-found',
    'token.not-found',
  ],
  [
    'limited to designs, one more',
    { designs: ['chair'] },
    { designs: ['chair', 'table'] },
    'token.not-found',
    'token.not-found',
  ],
  [
    'limited to designs, fewer',
    { designs: ['chair', 'table'] },
    { designs: ['chair'] },
    'allowed',
    'allowed',
  ],
  ['does not exist', {}, undefined, 'token.not-found', 'token.not-found'],
  ['of another user', {}, { user: 'usr_2' }, 'token.not-found', 'token.not-found'],
  ['of another user, limited', limited, { user: 'usr_2' }, 'token.not-found', 'token.not-found'],
];

for (const [reason, changes, targetChanges, manage, rotate] of tokenCases) {
  test(`token: ${reason}: manage ${manage}, rotate ${rotate}`, () => {
    const token = createTestToken(changes);
    const target = targetChanges && createTestToken(targetChanges);
    assert.equal(mayManageToken(token, target), manage === 'allowed');
    assertOutcome(() => assertMayManageToken(token, target), manage);
    assertOutcome(() => assertMayRotateToken(token, target), rotate);
  });
}

test('token: only a token without limits manages a damaged one, of its own user', () => {
  const damaged = {
    id: 'tok_1',
    user: 'usr_1',
    name: '',
    version: 1,
    damage: 'its origins is not valid',
  };
  assert.ok(mayManageToken(createTestToken(), damaged));
  assert.ok(!mayManageToken(createTestToken({ user: 'usr_2' }), damaged));
  assert.ok(!mayManageToken(createTestToken({ origins: [SHOP_ORIGIN] }), damaged));
  assert.ok(!mayManageToken(createTestToken({ designs: ['chair'] }), damaged));
});

test('descendants: a limited token may not revoke those outside its limits', () => {
  const inside = createTestToken(limited);
  const outside = createTestToken({ ...limited, origins: ['https://fair.example'] });
  const ofOtherUser = createTestToken({ ...limited, user: 'usr_2' });
  const rows: [Partial<NewToken>, TokenRecord[], Outcome][] = [
    [limited, [], 'allowed'],
    [limited, [inside], 'allowed'],
    [limited, [inside, outside], 'token.scope-exceeded'],
    [limited, [ofOtherUser], 'token.scope-exceeded'],
    [{}, [inside, outside, ofOtherUser], 'allowed'],
  ];
  for (const [changes, descendants, outcome] of rows) {
    assertOutcome(() => assertMayRevokeDescendants(createTestToken(changes), descendants), outcome);
  }
});

const OTHER_USER = { id: 'usr_2', name: 'anna', disabledAt: undefined };
const SELF = { id: 'usr_1', name: 'ben', disabledAt: undefined };

type UserCase = [
  issuer: Partial<TokenRecord>,
  requested: string | undefined,
  target: typeof SELF | (Omit<typeof SELF, 'disabledAt'> & { disabledAt: Date }) | undefined,
  outcome: Outcome | 'usr_2',
];

const userCases: UserCase[] = [
  [{}, undefined, undefined, 'allowed'],
  [{}, '~', undefined, 'allowed'],
  [{}, 'usr_1', SELF, 'allowed'],
  [{}, 'ben', SELF, 'allowed'],
  [{}, 'usr_2', OTHER_USER, 'token.user'],
  [{}, 'anna', OTHER_USER, 'token.user'],
  [{}, 'usr_3', undefined, 'token.user'],
  [{}, '', undefined, 'token.user'],
  [{}, '~usr_1', undefined, 'token.user'],
  [{ operator: true }, '~', undefined, 'allowed'],
  [{ operator: true }, 'usr_2', OTHER_USER, 'usr_2'],
  [{ operator: true }, 'anna', OTHER_USER, 'usr_2'],
  [{ operator: true }, 'usr_3', undefined, 'token.user'],
  [{ operator: true }, 'anna', { ...OTHER_USER, disabledAt: new Date(0) }, 'token.user'],
  [{ operator: true, designs: ['chair'] }, 'anna', OTHER_USER, 'token.user'],
  [{ operator: true, origins: ['https://a.example'] }, 'anna', OTHER_USER, 'token.user'],
];

for (const [issuer, requested, target, outcome] of userCases) {
  test(`new token of the user ${requested}, by ${JSON.stringify(issuer)}: ${outcome}`, () => {
    const token = { user: 'usr_1', operator: false, origins: [], designs: undefined, ...issuer };
    const get = () => getUserOfNewToken(token, requested, target);
    if (outcome === 'usr_2') assert.equal(get(), 'usr_2');
    else assertOutcome(() => assert.equal(get(), 'usr_1'), outcome);
  });
}
