import {
  type CaseOptions,
  createCase,
  createGroup,
  createPair,
  type GateCase,
  LISTED,
  REQUEST,
  UNLISTED,
} from '../gate-case.ts';
import { FRAME_SIZE, type GateRun } from '../gate-run.ts';

/** With a design of its own, no page has its files in the cache before. */
const VISIT: CaseOptions = { ownDesign: true };
const NO_WORKERS = {
  Firefox: 'refuses service workers of sites with a self-signed certificate',
  WebKit: 'refuses service workers of sites with a self-signed certificate',
};

/** Shows the design on a listed page in another window first, so that the caches of the browser have its files. */
const afterVisit = (run: GateRun, script: string) => {
  const listed = run.addPage(run.frame(), LISTED);
  return `<div></div><script>gate.run(async () => {
    const visit = open('${listed}');
    await gate.call('served');
    const { cachedUrl, cachedPoster } = JSON.parse(await gate.call('stolen-grant'));
    visit.close();
    await gate.call('reset');
    ${script}
  })</script>`;
};

/** Installs a service worker, then runs the script. */
const withWorker = (run: GateRun, worker: string, script: string) => {
  const file = run.addFile(
    `const src = '${run.src}';
    oninstall = () => skipWaiting();
    onactivate = (event) => event.waitUntil(clients.claim());
    ${worker}`,
    'text/javascript',
    { 'service-worker-allowed': '/' },
  );
  return `<div></div><script>gate.run(async () => {
    await navigator.serviceWorker.register('${file}', { scope: '/${run.id}/' });
    if (!navigator.serviceWorker.controller) await new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
    ${script}
  })</script>`;
};

const putFrame = (html: string) =>
  `document.querySelector('div').innerHTML = '${html}'; await gate.call('answered');`;

/** Reloads the page once, when the first view is over. */
const reloadOnce = (run: GateRun, navigate: string) => `${run.frame()}<script>gate.run(async () => {
  await gate.loaded;
  await gate.call('answered');
  if (sessionStorage.getItem('${run.id}')) return;
  sessionStorage.setItem('${run.id}', '1');
  await gate.call('reset');
  ${navigate}
  await new Promise(() => {});
})</script>`;

/** Caches, service workers, and pages that are opened again. */
export const CACHE_CASES: GateCase[] = createGroup('Caching', [
  ...createPair('reload of the page', 'shown', (run) => reloadOnce(run, 'location.reload();')),
  ...createPair(
    'page that is left and opened again by back',
    'shown',
    (run) => {
      const next = new URL(
        run.addPage('<script>onload = () => setTimeout(() => history.back())</script>'),
      ).pathname;
      return reloadOnce(run, `location.href = '${next}';`);
    },
    { minRequests: 0 },
  ),
  ...createPair(
    'iframe that is removed and added again',
    'shown',
    ({ frame }) => `<div>${frame()}</div><script>gate.run(async () => {
    const div = document.querySelector('div');
    await gate.call('answered');
    await gate.call('reset');
    div.innerHTML = div.innerHTML;
    await gate.call('answered');
  })</script>`,
  ),
  createCase(
    'iframe after a visit to a listed page, unlisted page',
    UNLISTED,
    'denied',
    (run) => afterVisit(run, putFrame(run.frame())),
    VISIT,
  ),
  createCase(
    'hidden iframe after a visit to a listed page, unlisted page',
    UNLISTED,
    'denied',
    (run) => afterVisit(run, putFrame(run.frame('referrerpolicy="no-referrer"'))),
    VISIT,
  ),
  ...['default', 'force-cache', 'no-cache'].map((cache) =>
    createCase(
      `fetch of the cached model with ${cache}, unlisted page`,
      UNLISTED,
      'denied',
      (run) =>
        afterVisit(
          run,
          `const response = await fetch(cachedUrl, { cache: '${cache}' }); await gate.report(await response.text());`,
        ),
      { ...REQUEST, ...VISIT, minRequests: 0 },
    ),
  ),
  createCase(
    'fetch of the cached document with force-cache, unlisted page',
    UNLISTED,
    'denied',
    (run) =>
      afterVisit(
        run,
        `const response = await fetch('${run.src}', { cache: 'force-cache' }); await gate.report(await response.text());`,
      ),
    { ...REQUEST, ...VISIT },
  ),
  createCase(
    '<img> of the cached poster, unlisted page',
    UNLISTED,
    'denied',
    (run) =>
      afterVisit(
        run,
        'const image = new Image(220, 180); const end = new Promise((resolve) => { image.onload = image.onerror = resolve; }); image.src = cachedPoster; document.body.append(image); await end;',
      ),
    { ...VISIT, minRequests: 0 },
  ),
  ...createPair(
    'Cache API',
    'denied',
    ({ src }) => `<script>gate.run(async () => {
    const cache = await caches.open('copy');
    await cache.add('${src}');
    await gate.report(await (await cache.match('${src}')).text());
  })</script>`,
    REQUEST,
  ),
  createCase(
    'service worker that does nothing, listed page',
    LISTED,
    'shown',
    (run) => withWorker(run, 'onfetch = () => {};', putFrame(run.frame())),
    { cannotRun: NO_WORKERS },
  ),
  createCase(
    'service worker that does nothing, unlisted page',
    UNLISTED,
    'denied',
    (run) => withWorker(run, 'onfetch = () => {};', putFrame(run.frame())),
    { cannotRun: NO_WORKERS },
  ),
  ...createPair(
    'service worker that answers with the document',
    'denied',
    (run) =>
      withWorker(
        run,
        "onfetch = (event) => { if (event.request.url.endsWith('/copy')) event.respondWith(fetch(src)); };",
        `const frame = Object.assign(document.createElement('iframe'), { width: 220, height: 180 }); document.body.append(frame); await gate.load(frame, '/${run.id}/copy');`,
      ),
    { ...REQUEST, cannotRun: NO_WORKERS },
  ),
  ...createPair(
    'service worker that answers with the document, no-cors',
    'denied',
    (run) =>
      withWorker(
        run,
        "onfetch = (event) => { if (event.request.url.endsWith('/copy')) event.respondWith(fetch(src, { mode: 'no-cors' })); };",
        `const frame = Object.assign(document.createElement('iframe'), { width: 220, height: 180 }); document.body.append(frame); await gate.load(frame, '/${run.id}/copy');`,
      ),
    { ...REQUEST, cannotRun: NO_WORKERS },
  ),
  ...createPair(
    'prerendered page that frames the document',
    'shown',
    (run) => {
      const page = run.addPage(run.frame(), { host: 'shop.test' });
      const path = new URL(page).pathname;
      return `<script type="speculationrules">{"prerender":[{"source":"list","urls":["${path}"],"eagerness":"immediate"}]}</script>
      <iframe hidden ${FRAME_SIZE}></iframe><script>gate.leave(() => { location.href = '${path}'; })</script>`;
    },
    { cannotRun: { Firefox: 'no speculation rules', WebKit: 'no speculation rules' } },
  ),
]);
