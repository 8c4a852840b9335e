import {
  createCase,
  createGroup,
  createPair,
  type GateCase,
  LEAVES_PAGE,
  LISTED,
  UNLISTED,
} from '../gate-case.ts';
import { FRAME_SIZE, type GateRun } from '../gate-run.ts';
import { renderForm } from './framing-cases.ts';

const NO_NAVIGATION_API = { WebKit: 'no Navigation API' };

/** A frame with an empty page of the same site, and a script that sends it to the framed document. */
const navigateFrame = (script: string) => (run: GateRun) => {
  const blank = run.addPage('');
  const path = new URL(blank).pathname;
  return `<iframe name="target" ${FRAME_SIZE} src="${path}"></iframe>${renderForm(run, 'target')}
    <a href="${run.src}" target="target">link</a>
    <script>gate.held = true; addEventListener('load', () => gate.run(async () => {
      const frame = document.querySelector('iframe');
      const target = frame.contentWindow;
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
      const src = '${run.src}';
      ${script}
      await loaded;
    }))</script>`;
};

/** A frame with a page of the same site that navigates itself. */
const navigateItself = (render: (run: GateRun) => string) => (run: GateRun) => {
  const path = new URL(run.addPage(render(run))).pathname;
  return `<iframe ${FRAME_SIZE} src="${path}"></iframe><script>gate.run(() => gate.call('answered'))</script>`;
};

const redirect = (run: GateRun, status: number, host: string) =>
  run.frame(
    'referrerpolicy="strict-origin"',
    run.addPage('', { host, status, headers: { location: run.src } }),
  );

/** Frames that get to the framed document in another way than by their URL. */
export const FRAME_NAVIGATION_CASES: GateCase[] = createGroup('Navigation of a frame', [
  ...createPair('location.href', 'shown', navigateFrame('target.location.href = src;')),
  ...createPair('location.replace', 'shown', navigateFrame('target.location.replace(src);')),
  ...createPair(
    'Navigation API',
    'shown',
    navigateFrame('target.navigation.navigate(src).finished.catch(() => {});'),
    { cannotRun: NO_NAVIGATION_API },
  ),
  ...createPair('link', 'shown', navigateFrame("document.querySelector('a').click();")),
  ...createPair(
    'link with rel=noreferrer',
    'shown',
    navigateFrame(
      "const link = document.querySelector('a'); link.rel = 'noreferrer'; link.referrerPolicy = 'no-referrer'; link.click();",
    ),
  ),
  ...createPair('form with GET', 'shown', navigateFrame('document.forms[0].submit();')),
  ...createPair(
    // Firefox saves the response as a file, and the frame stays as it is.
    'form with POST',
    'denied',
    navigateFrame(
      "const form = document.forms[0]; form.action = src; form.method = 'post'; form.submit(); await gate.call('answered'); return;",
    ),
  ),
  ...createPair(
    'javascript: URL',
    'shown',
    navigateFrame(`frame.src = "javascript:void(location.href = '" + src + "')";`),
  ),
  ...createPair(
    'link with target=_self in the frame',
    'shown',
    navigateItself(
      ({ src }) =>
        `<a href="${src}" target="_self">x</a><script>onload = () => document.querySelector('a').click()</script>`,
    ),
  ),
  ...createPair(
    'meta refresh in the frame',
    'shown',
    navigateItself(({ src }) => `<meta http-equiv="refresh" content="0;url=${src}">`),
  ),
  ...createPair('header Refresh in the frame', 'shown', (run) => {
    const path = new URL(run.addPage('', { headers: { refresh: `0;url=${run.src}` } })).pathname;
    return `<iframe ${FRAME_SIZE} src="${path}"></iframe><script>gate.run(() => gate.call('answered'))</script>`;
  }),
  ...createPair(
    'back to the document',
    'shown',
    // A navigation in a load event would replace the entry of the history.
    navigateFrame(`
      target.location.href = src;
      await loaded;
      await gate.call('answered');
      await gate.load(frame, '/empty');
      await gate.call('reset');
      const returned = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
      history.back();
      await returned;`),
  ),
  createCase(
    'unlisted frame that navigates itself, listed page',
    LISTED,
    'denied',
    ({ nest, src }) =>
      `${nest(`<script>location.href = '${src}'</script>`, UNLISTED)}<script>gate.run(() => gate.call('answered'))</script>`,
  ),
  createCase(
    'listed frame that navigates itself, unlisted page',
    UNLISTED,
    'denied',
    ({ nest, src }) =>
      `${nest(`<script>location.href = '${src}'</script>`, LISTED)}<script>gate.run(() => gate.call('answered'))</script>`,
  ),
]);

const STATUSES = [301, 302, 303, 307, 308];

/** Redirects to the framed document. The page around the iframe decides, not the site that redirects. */
export const REDIRECT_CASES: GateCase[] = createGroup('Redirects', [
  ...STATUSES.map((status) =>
    createCase(`${status} by a listed site, unlisted page`, UNLISTED, 'denied', (run) =>
      redirect(run, status, 'shop.test'),
    ),
  ),
  ...[302, 307].map((status) =>
    createCase(`${status} by a listed site, listed page`, LISTED, 'shown', (run) =>
      redirect(run, status, 'shop.test'),
    ),
  ),
  createCase('302 by an unlisted site, listed page', LISTED, 'shown', (run) =>
    redirect(run, 302, 'evil.test'),
  ),
  createCase('307 by the same site, unlisted page', UNLISTED, 'denied', (run) =>
    redirect(run, 307, 'evil.test'),
  ),
  createCase('two redirects, unlisted page', UNLISTED, 'denied', (run) => {
    const second = run.addPage('', { status: 302, headers: { location: run.src } });
    const first = run.addPage('', { ...UNLISTED, status: 301, headers: { location: second } });
    return run.frame('', first);
  }),
  createCase('redirect that removes the Referer, unlisted page', UNLISTED, 'denied', (run) => {
    const headers = { location: run.src, 'referrer-policy': 'no-referrer' };
    return run.frame('', run.addPage('', { status: 302, headers }));
  }),
]);

const leave = (script: string) => (run: GateRun) =>
  `${renderForm(run, '_self')}<a href="${run.src}">link</a><script>gate.leave(() => { const src = '${run.src}'; ${script} })</script>`;

/** The page itself goes to the framed document, which is for iframes only. */
export const PAGE_NAVIGATION_CASES: GateCase[] = createGroup('Navigation of the page', [
  createCase('address of the document', LISTED, 'denied', ({ src }) => new URL(src), LEAVES_PAGE),
  createCase('location.href', LISTED, 'denied', leave('location.href = src;'), LEAVES_PAGE),
  createCase('location.replace', UNLISTED, 'denied', leave('location.replace(src);'), LEAVES_PAGE),
  createCase('link', LISTED, 'denied', leave("document.querySelector('a').click();"), LEAVES_PAGE),
  createCase('form with GET', LISTED, 'denied', leave('document.forms[0].submit();'), LEAVES_PAGE),
  createCase(
    'form with POST',
    UNLISTED,
    'denied',
    leave(
      "document.forms[0].action = src; document.forms[0].method = 'post'; document.forms[0].submit();",
    ),
  ),
  createCase(
    'meta refresh',
    LISTED,
    'denied',
    leave(
      `document.head.insertAdjacentHTML('beforeend', '<meta http-equiv="refresh" content="0;url=' + src + '">');`,
    ),
    LEAVES_PAGE,
  ),
  createCase(
    'frame that navigates the top page',
    LISTED,
    'denied',
    ({ addPage, src }) => {
      const url = addPage(`<script>top.location.href = '${src}'</script>`);
      return `<script>gate.leave(() => document.documentElement.append(Object.assign(document.createElement('iframe'), { src: '${url}' })))</script>`;
    },
    LEAVES_PAGE,
  ),
  createCase(
    'redirect',
    LISTED,
    'denied',
    (run) => new URL(run.addPage('', { status: 302, headers: { location: run.src } })),
    LEAVES_PAGE,
  ),
]);
