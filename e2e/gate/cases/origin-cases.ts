import {
  type CaseOptions,
  createCase,
  createGroup,
  type GateCase,
  type Outcome,
  type PageOptions,
  renderFrame,
  renderHiddenFrame,
} from '../gate-case.ts';
import type { GateRun } from '../gate-run.ts';

type Row = [
  name: string,
  page: PageOptions,
  outcome: Outcome,
  origins?: CaseOptions['origins'],
  options?: CaseOptions,
];

const toCases = (rows: readonly Row[]) =>
  rows.map(([name, page, outcome, origins, options]) =>
    createCase(name, page, outcome, renderFrame, { ...options, ...(origins && { origins }) }),
  );

type List = NonNullable<CaseOptions['origins']>;
const HTTP = { scheme: 'http' } as const;
const IDN_HOST = 'xn--bcher-kva.test';
const idnList: List = ({ toOrigin }) => [toOrigin('bücher.test')];
const long = `${'a'.repeat(60)}.${'b'.repeat(60)}`;

/** Hosts and ports that are listed, and that only look like it. */
export const HOST_CASES: GateCase[] = createGroup(
  'Hosts and ports',
  toCases([
    ['subdomain under a wildcard', { host: 'a.wild.test' }, 'shown'],
    ['two levels under a wildcard', { host: 'a.b.wild.test' }, 'shown'],
    ['underscore under a wildcard', { host: 'a_b.wild.test' }, 'shown'],
    ['long host under a wildcard', { host: `${long}.wild.test` }, 'shown'],
    ['host of a wildcard without a subdomain', { host: 'wild.test' }, 'denied'],
    ['host that ends like a wildcard', { host: 'awild.test' }, 'denied'],
    ['wildcard host as a subdomain of another', { host: 'a.wild.test.evil.test' }, 'denied'],
    ['other port', { otherPort: true }, 'denied'],
    ['other port under a wildcard', { host: 'a.wild.test', otherPort: true }, 'denied'],
    ['subdomain of a listed host', { host: 'www.shop.test' }, 'denied'],
    ['listed host as a subdomain of another', { host: 'shop.test.evil.test' }, 'denied'],
    ['host that ends like a listed one', { host: 'evilshop.test' }, 'denied'],
    ['host with a hyphen in place of the dot', { host: 'a-wild.test' }, 'denied'],
    ['upper case in the address', { host: 'SHOP.test' }, 'shown'],
    [
      'upper case in the list',
      {},
      'shown',
      ({ toOrigin }) => [toOrigin('shop.test').replace('shop', 'SHOP')],
    ],
    ['dot at the end of the host', { host: 'shop.test.' }, 'denied'],
    ['dot at the end of a host under a wildcard', { host: 'a.wild.test.' }, 'denied'],
    ['international host', { host: IDN_HOST }, 'shown', idnList],
    ['international host in Unicode', { host: 'bücher.test' }, 'shown', idnList],
    ['international host that looks similar', { host: 'xn--bcher-0ra.test' }, 'denied', idnList],
    ['international subdomain under a wildcard', { host: 'xn--bcher-kva.wild.test' }, 'shown'],
    ['ASCII host, an international one is listed', { host: 'bucher.test' }, 'denied', idnList],
    [
      'last of 20 listed hosts',
      {},
      'shown',
      ({ toOrigin }) => [
        ...Array.from({ length: 19 }, (_, index) => toOrigin(`shop${index}.test`)),
        toOrigin('shop.test'),
      ],
    ],
    ['IP address of the site', { host: '127.0.0.1' }, 'denied'],
  ]),
);

const httpShop: List = ({ toOrigin }) => [toOrigin('shop.test', HTTP)];
/** The port of the https sites: browsers treat an http origin in `frame-ancestors` as also allowing https. */
const httpAtHttpsPort: List = ({ toOrigin }) => [toOrigin('shop.test').replace('https', 'http')];
const both: List = ({ toOrigin }) => [...httpAtHttpsPort({ toOrigin }), toOrigin('other.test')];
const httpEvil: List = ({ toOrigin }) => [
  toOrigin('shop.test'),
  toOrigin('evil.test').replace('https', 'http'),
];
const unlistedHttp: PageOptions = { ...HTTP, host: 'evil.test' };
const overHttp: CaseOptions = { service: 'http', origins: httpShop };

/** http and https: pages, lists and services. */
export const SCHEME_CASES: GateCase[] = createGroup('http and https', [
  ...toCases([
    ['http page and service, listed', HTTP, 'shown', httpShop, { service: 'http' }],
    ['http page and service, unlisted', unlistedHttp, 'denied', httpShop, { service: 'http' }],
    ['http page, https service, listed', HTTP, 'shown', httpShop],
    ['http page, https service, unlisted', unlistedHttp, 'denied', httpShop],
    ['http page, https is listed', HTTP, 'denied'],
    ['https page, http is listed', {}, 'denied', httpAtHttpsPort],
  ]),
  createCase('hidden https page, http is listed', {}, 'denied', renderHiddenFrame, {
    origins: httpAtHttpsPort,
  }),
  createCase(
    'hidden https page, http and another https origin are listed',
    {},
    'denied',
    renderHiddenFrame,
    { origins: both },
  ),
  createCase(
    'hidden listed page, http of another site is listed too',
    {},
    'shown',
    renderHiddenFrame,
    {
      origins: httpEvil,
    },
  ),
  createCase('hidden http page, https service, listed', HTTP, 'denied', renderHiddenFrame, {
    origins: httpShop,
  }),
  createCase(
    'https page around a listed page, its http is listed',
    { host: 'evil.test' },
    'denied',
    ({ nest, frame }) => nest(frame()),
    { origins: httpEvil },
  ),
  createCase(
    'hidden https page around a listed page, its http is listed',
    { host: 'evil.test' },
    'denied',
    ({ nest, frame }) => nest(frame(), {}, 'referrerpolicy="no-referrer"'),
    { origins: httpEvil },
  ),
  createCase(
    'https page around a listed page, its http is listed, without scripts',
    { host: 'evil.test' },
    'denied',
    ({ nest, frame }) => nest(frame('sandbox referrerpolicy="strict-origin"')),
    { origins: httpEvil },
  ),
  createCase(
    'listed http page around a listed https page',
    HTTP,
    'denied',
    ({ nest, frame }) => nest(frame()),
    { origins: ({ toOrigin }) => [toOrigin('shop.test'), toOrigin('shop.test', HTTP)] },
  ),
  createCase(
    '<object>, http service, listed',
    HTTP,
    'shown',
    ({ src }) => `<object data="${src}" width="220" height="180"></object>`,
    overHttp,
  ),
  createCase(
    '<object>, http service, unlisted',
    unlistedHttp,
    'denied',
    ({ src }) => `<object data="${src}" width="220" height="180"></object>`,
    overHttp,
  ),
  createCase(
    'hidden iframe, http service, unlisted',
    unlistedHttp,
    'denied',
    renderHiddenFrame,
    overHttp,
  ),
  createCase(
    'listed > unlisted, http service',
    HTTP,
    'denied',
    ({ nest, frame }) => nest(frame(), unlistedHttp),
    overHttp,
  ),
  createCase(
    'unlisted > listed, http service',
    unlistedHttp,
    'denied',
    ({ nest, frame }) => nest(frame(), HTTP),
    overHttp,
  ),
  createCase(
    'listed > listed, http service',
    HTTP,
    'shown',
    ({ nest, frame }) => nest(frame(), HTTP),
    overHttp,
  ),
  createCase(
    'window.open, http service, listed',
    HTTP,
    'denied',
    ({ src }) => `<script>gate.leave(() => open('${src}'))</script>`,
    { ...overHttp, leavesPage: true },
  ),
  createCase('address of the document, http service', HTTP, 'denied', ({ src }) => new URL(src), {
    ...overHttp,
    leavesPage: true,
  }),
  createCase(
    'link from a listed page, http service',
    HTTP,
    'denied',
    ({ src }) => `<script>gate.leave(() => { location.href = '${src}'; })</script>`,
    { ...overHttp, leavesPage: true },
  ),
]);

const localhostList: List = () => ['http://localhost:*'];
const loopback: CaseOptions = { service: 'localhost', origins: localhostList };
const noMixedContent = {
  cannotRun: { WebKit: 'blocks http://localhost in an https page' },
} as const;

/** Sites and services on the own machine. */
export const LOCALHOST_CASES: GateCase[] = createGroup(
  'Localhost',
  toCases([
    [
      'http page on localhost, any port is listed',
      { ...HTTP, host: 'localhost' },
      'shown',
      localhostList,
    ],
    [
      'other port of localhost, any port is listed',
      { ...HTTP, host: 'localhost', otherPort: true },
      'shown',
      localhostList,
    ],
    [
      'other port of localhost, one port is listed',
      { ...HTTP, host: 'localhost', otherPort: true },
      'denied',
      ({ toOrigin }) => [toOrigin('localhost', HTTP)],
    ],
    ['https page on localhost, http is listed', { host: 'localhost' }, 'denied', localhostList],
    [
      'page at 127.0.0.1, localhost is listed',
      { ...HTTP, host: '127.0.0.1' },
      'denied',
      localhostList,
    ],
    [
      'page at 127.0.0.1, listed',
      { ...HTTP, host: '127.0.0.1' },
      'shown',
      ({ toOrigin }) => [toOrigin('127.0.0.1', HTTP)],
    ],
    [
      'page at a subdomain of localhost, localhost is listed',
      { ...HTTP, host: 'a.localhost' },
      'denied',
      localhostList,
    ],
    [
      'page on another host, localhost is listed',
      { ...HTTP, host: 'evil.test' },
      'denied',
      localhostList,
    ],
    [
      'host that begins like localhost',
      { ...HTTP, host: 'localhost.evil.test' },
      'denied',
      localhostList,
    ],
    [
      'page and service on localhost',
      { ...HTTP, host: 'localhost' },
      'shown',
      localhostList,
      loopback,
    ],
    [
      'service on localhost, unlisted http page',
      { ...HTTP, host: 'evil.test' },
      'denied',
      localhostList,
      loopback,
    ],
    [
      'service on localhost, unlisted https page',
      { host: 'evil.test' },
      'denied',
      localhostList,
      { ...loopback, ...noMixedContent },
    ],
    [
      'service on localhost, page at 127.0.0.1',
      { ...HTTP, host: '127.0.0.1' },
      'denied',
      localhostList,
      loopback,
    ],
    [
      'service on localhost, listed https page',
      {},
      'shown',
      undefined,
      { service: 'localhost', ...noMixedContent },
    ],
  ]).concat(
    createCase(
      'hidden page on localhost, http is listed',
      { host: 'localhost' },
      'denied',
      renderHiddenFrame,
      { origins: localhostList },
    ),
    createCase(
      'hidden http page on localhost, http service',
      { ...HTTP, host: 'localhost' },
      'denied',
      renderHiddenFrame,
      loopback,
    ),
  ),
);

/** Other addresses of the same service. */
export const ADDRESS_CASES: GateCase[] = createGroup('Addresses of the service', [
  createCase('IP address', {}, 'denied', (run) => run.frame('', replaceHost(run, '127.0.0.1'))),
  createCase('host with a dot at the end', {}, 'denied', (run) =>
    run.frame('', replaceHost(run, `${new URL(run.src).hostname}.`)),
  ),
  createCase('another host name', {}, 'denied', (run) =>
    run.frame('', replaceHost(run, 'rebound.test')),
  ),
  createCase('upper case in the id of the design', {}, 'shown', (run) =>
    run.frame('', run.src.replace(run.designId, run.designId.toUpperCase())),
  ),
  createCase('fragment and unknown parameters', {}, 'shown', (run) =>
    run.frame('', `${run.src}&utm_source=x#top`),
  ),
]);

const replaceHost = ({ src }: GateRun, host: string) =>
  src.replace(/^(https?:\/\/)[^/:]+/, (_, scheme: string) => scheme + host);
