import { createGroup, createPair, type GateCase, REQUEST } from '../gate-case.ts';
import type { GateRun } from '../gate-run.ts';

/** A script that requests the document and reports what it can read. */
const attempt = (script: string) => (run: GateRun) =>
  `<script>gate.run(async () => {
  const src = '${run.src}';
  ${script}
})</script>`;

/** An element that requests the document. */
const element = (render: (src: string) => string) => (run: GateRun) =>
  `${render(run.src)}<script>gate.run(() => gate.call('answered'))</script>`;

const fetchWith = (options: string) =>
  attempt(
    `const response = await fetch(src, ${options}); await gate.report(await response.text());`,
  );

const xhr = (setUp: string) =>
  attempt(`await new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = resolve;
    request.onload = () => gate.report(request.responseText);
    request.open('GET', src);
    ${setUp}
    request.send();
  });`);

const inWorker = (script: string) => (run: GateRun) => {
  const worker = run.addFile(`const src = '${run.src}'; ${script}`, 'text/javascript');
  return `<script>gate.run(async () => {
    const worker = new Worker('${worker}');
    worker.onmessage = ({ data }) => gate.report(data);
    await gate.call('answered');
  })</script>`;
};

/** Requests that are not for an iframe. Not even a listed page gets the document. */
export const REQUEST_CASES: GateCase[] = createGroup('Requests', [
  ...createPair('fetch', 'denied', fetchWith('{}'), REQUEST),
  ...createPair('fetch with no-cors', 'denied', fetchWith("{ mode: 'no-cors' }"), REQUEST),
  ...createPair(
    'fetch with credentials',
    'denied',
    fetchWith("{ credentials: 'include' }"),
    REQUEST,
  ),
  ...createPair(
    'fetch without Referer',
    'denied',
    fetchWith("{ referrerPolicy: 'no-referrer' }"),
    REQUEST,
  ),
  ...createPair(
    'fetch of the problem as JSON',
    'denied',
    fetchWith("{ headers: { accept: 'application/json' } }"),
    REQUEST,
  ),
  ...createPair('fetch with keepalive', 'denied', fetchWith('{ keepalive: true }'), REQUEST),
  ...createPair('fetch with HEAD', 'denied', fetchWith("{ method: 'HEAD' }"), REQUEST),
  ...createPair('fetch with POST', 'denied', fetchWith("{ method: 'POST', body: 'x' }"), REQUEST),
  ...createPair(
    'fetch in a worker',
    'denied',
    inWorker('fetch(src).then((response) => response.text()).then(postMessage);'),
    REQUEST,
  ),
  ...createPair('importScripts in a worker', 'denied', inWorker('importScripts(src);'), REQUEST),
  ...createPair('XMLHttpRequest', 'denied', xhr(''), REQUEST),
  ...createPair(
    'XMLHttpRequest with credentials',
    'denied',
    xhr('request.withCredentials = true;'),
    REQUEST,
  ),
  ...createPair(
    'EventSource',
    'denied',
    attempt(
      'const source = new EventSource(src); await new Promise((resolve) => { source.onerror = resolve; }); source.close();',
    ),
    REQUEST,
  ),
  ...createPair(
    'sendBeacon',
    'denied',
    attempt("navigator.sendBeacon(src, 'x'); await gate.call('answered');"),
    REQUEST,
  ),
  ...createPair('import()', 'denied', attempt('await import(src);'), REQUEST),
  ...createPair(
    '<script>',
    'denied',
    element((src) => `<script src="${src}"></script>`),
    REQUEST,
  ),
  ...createPair(
    '<script type=module>',
    'denied',
    element((src) => `<script type="module" src="${src}"></script>`),
    REQUEST,
  ),
  ...createPair(
    '<img>',
    'denied',
    element((src) => `<img src="${src}">`),
    REQUEST,
  ),
  ...createPair(
    '<img> with crossorigin',
    'denied',
    element((src) => `<img crossorigin src="${src}">`),
    REQUEST,
  ),
  ...createPair(
    'SVG <image>',
    'denied',
    element(
      (src) =>
        `<svg width="100" height="100"><image href="${src}" width="100" height="100"/></svg>`,
    ),
    REQUEST,
  ),
  ...createPair(
    '<video>',
    'denied',
    element((src) => `<video src="${src}" preload="auto"></video>`),
    REQUEST,
  ),
  ...createPair(
    '<audio>',
    'denied',
    element((src) => `<audio src="${src}" preload="auto"></audio>`),
    REQUEST,
  ),
  ...createPair(
    '<input type=image>',
    'denied',
    element((src) => `<input type="image" src="${src}">`),
    REQUEST,
  ),
  ...createPair(
    '<link rel=stylesheet>',
    'denied',
    element((src) => `<link rel="stylesheet" href="${src}">`),
    REQUEST,
  ),
  ...createPair(
    'CSS @import',
    'denied',
    element((src) => `<style>@import url("${src}")</style>`),
    REQUEST,
  ),
  ...createPair(
    'CSS background',
    'denied',
    element((src) => `<style>html{background:url("${src}")}</style>`),
    REQUEST,
  ),
  ...createPair(
    'CSS font',
    'denied',
    element(
      (src) => `<style>@font-face{font-family:x;src:url("${src}")}body{font-family:x}</style>text`,
    ),
    REQUEST,
  ),
]);

const hint = (html: (src: string) => string) => element(html);
const NO_PREFETCH = { WebKit: 'no <link rel=prefetch>' };
const ONLY_CHROMIUM = { Firefox: 'no speculation rules', WebKit: 'no speculation rules' };

/** Requests in advance. */
export const PRELOAD_CASES: GateCase[] = createGroup('Requests in advance', [
  ...createPair(
    '<link rel=prefetch>',
    'denied',
    hint((src) => `<link rel="prefetch" href="${src}">`),
    { ...REQUEST, cannotRun: NO_PREFETCH },
  ),
  ...createPair(
    '<link rel=preload as=fetch>',
    'denied',
    hint((src) => `<link rel="preload" as="fetch" crossorigin href="${src}">`),
    REQUEST,
  ),
  ...createPair(
    '<link rel=preload as=image>',
    'denied',
    hint((src) => `<link rel="preload" as="image" href="${src}">`),
    REQUEST,
  ),
  ...createPair(
    '<link rel=preload as=document>',
    'denied',
    hint((src) => `<link rel="preload" as="document" href="${src}">`),
    {
      ...REQUEST,
      cannotRun: { Chromium: 'not supported', Firefox: 'not supported', WebKit: 'not supported' },
    },
  ),
  ...createPair(
    '<link rel=modulepreload>',
    'denied',
    hint((src) => `<link rel="modulepreload" href="${src}">`),
    REQUEST,
  ),
  ...createPair(
    'speculation rules: prefetch',
    'denied',
    hint((src) => renderRules('prefetch', src)),
    { ...REQUEST, cannotRun: ONLY_CHROMIUM },
  ),
  ...createPair(
    'speculation rules: prerender',
    'denied',
    hint((src) => renderRules('prerender', src)),
    { ...REQUEST, cannotRun: ONLY_CHROMIUM },
  ),
  ...createPair(
    'prefetch, then an iframe',
    'shown',
    ({
      src,
      frame,
    }) => `<link rel="prefetch" href="${src}"><div></div><script>gate.run(async () => {
    await gate.call('answered');
    await gate.call('reset');
    document.querySelector('div').innerHTML = '${frame()}';
    await gate.call('answered');
  })</script>`,
    { cannotRun: NO_PREFETCH },
  ),
]);

const renderRules = (kind: string, src: string) =>
  `<script type="speculationrules">${JSON.stringify({ [kind]: [{ source: 'list', urls: [src], eagerness: 'immediate' }] })}</script>`;
