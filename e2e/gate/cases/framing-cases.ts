import {
  type CaseOptions,
  createCase,
  createGroup,
  createPair,
  type GateCase,
  LEAVES_PAGE,
  LISTED,
  UNLISTED,
} from '../gate-case.ts';
import { FRAME_SIZE, type GateRun } from '../gate-run.ts';

const NO_FRAGMENT_ELEMENT = 'no such element';
const NO_ENGINE = {
  Chromium: NO_FRAGMENT_ELEMENT,
  Firefox: NO_FRAGMENT_ELEMENT,
  WebKit: NO_FRAGMENT_ELEMENT,
};

/** WebKit requests these elements as iframes. On a listed page that shows no more than an iframe. */
const SENT_AS_IFRAME: CaseOptions = { outcomeIn: { WebKit: 'shown' } };

/** Puts HTML into an attribute with single quotation marks. */
const quote = (html: string) => `'${html.replaceAll("'", '&#39;')}'`;

const element = (tag: string, attribute: string) => (run: GateRun) =>
  `<${tag} ${attribute}="${run.src}" ${FRAME_SIZE}></${tag}>`;

/** All elements and documents that can contain the framed document. */
export const FRAMING_CASES: GateCase[] = createGroup('Framing', [
  ...createPair('iframe', 'shown', ({ frame }) => frame()),
  ...createPair('iframe that hides its Referer', 'shown', ({ frame }) =>
    frame('referrerpolicy="no-referrer"'),
  ),
  ...createPair(
    'iframe created by a script',
    'shown',
    ({ src }) => `<script>gate.run(async () => {
      const frame = Object.assign(document.createElement('iframe'), { width: 220, height: 180 });
      document.documentElement.append(frame);
      await gate.load(frame, '${src}');
    })</script>`,
  ),
  ...createPair(
    'iframe in a shadow tree',
    'shown',
    ({ frame }) => `<div><template shadowrootmode="closed">${frame()}</template></div>`,
  ),
  ...createPair(
    'iframe in SVG',
    'shown',
    ({ frame }) =>
      `<svg ${FRAME_SIZE}><foreignObject ${FRAME_SIZE}>${frame()}</foreignObject></svg>`,
  ),
  ...createPair('<object>', 'denied', element('object', 'data'), SENT_AS_IFRAME),
  ...createPair('<embed>', 'denied', element('embed', 'src'), SENT_AS_IFRAME),
  ...createPair(
    '<frame> in a frameset',
    'denied',
    ({ src }) => `<frameset cols="100%"><frame src="${src}"></frameset>`,
    SENT_AS_IFRAME,
  ),
  ...createPair('<fencedframe>', 'denied', element('fencedframe', 'src'), {
    cannotRun: NO_ENGINE,
  }),
  ...createPair('<portal>', 'denied', element('portal', 'src'), { cannotRun: NO_ENGINE }),
  ...createPair(
    'srcdoc',
    'shown',
    ({ frame }) => `<iframe ${FRAME_SIZE} srcdoc=${quote(frame())}></iframe>`,
  ),
  ...createPair(
    'data: page',
    'denied',
    ({ frame }) =>
      `<iframe ${FRAME_SIZE} src="data:text/html,${encodeURIComponent(frame())}"></iframe>`,
  ),
  ...createPair(
    'blob: page',
    'shown',
    ({ frame }) => `<iframe ${FRAME_SIZE}></iframe><script>gate.run(async () => {
    const blob = new Blob([${JSON.stringify(frame()).replaceAll('</', '<\\/')}], { type: 'text/html' });
    await gate.load(document.querySelector('iframe'), URL.createObjectURL(blob));
  })</script>`,
  ),
  ...createPair('about:blank, written by a script', 'shown', ({ frame }) =>
    writeInto('document.querySelector("iframe").contentDocument', frame()),
  ),
  ...createPair(
    'about:blank, appended by a script',
    'shown',
    ({ src }) =>
      `<iframe ${FRAME_SIZE}></iframe><script>gate.run(async () => {
      const { contentDocument } = document.querySelector('iframe');
      const inner = Object.assign(contentDocument.createElement('iframe'), { width: 200, height: 160 });
      const loaded = gate.load(inner, '${src}');
      contentDocument.body.append(inner);
      await loaded;
    })</script>`,
  ),
  ...createPair(
    'javascript: URL that returns the iframe',
    'shown',
    ({ frame }) =>
      `<iframe ${FRAME_SIZE} src="javascript:${encodeURIComponent(`'${frame()}'`)}"></iframe>`,
  ),
  ...createPair('credentialless iframe', 'shown', ({ frame }) => frame('credentialless')),
  ...createPair(
    'hidden iframe that is shown later',
    'shown',
    ({ frame }) =>
      `${frame('style="display:none"')}<script>gate.run(async () => {
      const frame = document.getElementById('embed');
      await gate.call('answered');
      frame.style.display = 'block';
    })</script>`,
  ),
  ...createPair(
    'lazy iframe',
    'shown',
    ({ frame }) =>
      `${frame('loading="lazy"')}<script>gate.run(() => gate.call('answered'))</script>`,
  ),
  ...createPair('page in an XHTML document', 'shown', (run) => {
    const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><body>${run.frame().replaceAll('&', '&amp;')}</body></html>`;
    return `<iframe ${FRAME_SIZE} src="${run.addFile(xhtml, 'application/xhtml+xml')}"></iframe>`;
  }),
  createCase(
    'cross-origin isolated page, listed page',
    { headers: ISOLATION() },
    'shown',
    requireIsolation,
  ),
  createCase(
    'cross-origin isolated page, unlisted page',
    { ...UNLISTED, headers: ISOLATION() },
    'denied',
    requireIsolation,
  ),
]);

/** Windows that a page opens. The design is for iframes only. */
export const POPUP_CASES: GateCase[] = createGroup('Pop-ups', [
  ...createPair('window.open', 'denied', ({ src }) => open(`open('${src}')`), LEAVES_PAGE),
  ...createPair(
    'window.open with noopener',
    'denied',
    ({ src }) => open(`open('${src}', '', 'noopener')`),
    LEAVES_PAGE,
  ),
  ...createPair(
    'link to a new tab',
    'denied',
    ({ src }) =>
      `<a href="${src}" target="_blank" rel="opener">x</a>${open('document.querySelector("a").click()')}`,
    LEAVES_PAGE,
  ),
  ...createPair(
    'form to a new tab',
    'denied',
    (run) => `${renderForm(run, '_blank')}${open('document.forms[0].submit()')}`,
    LEAVES_PAGE,
  ),
  ...createPair(
    'window.open, then location of the new window',
    'denied',
    ({ src }) => open(`const w = open('about:blank'); w.location = '${src}'`),
    LEAVES_PAGE,
  ),
  ...createPair(
    'new window that a script writes',
    'shown',
    ({ frame }) =>
      `<script>gate.run(async () => {
      const w = open('about:blank');
      w.document.write(${JSON.stringify(frame()).replaceAll('</', '<\\/')});
      w.document.close();
      await gate.call('answered');
    })</script>`,
  ),
  ...createPair(
    'new window, read by its opener',
    'denied',
    ({ src }) => `<script>gate.run(async () => {
      const w = open('${src}');
      await gate.call('answered');
      await new Promise(requestAnimationFrame);
      try { await gate.report(w.document.documentElement.outerHTML); } catch (error) { await gate.call('failed', String(error)); }
    })</script>`,
    LEAVES_PAGE,
  ),
  ...createPair(
    'named iframe, by window.open',
    'shown',
    ({ src }) =>
      `<iframe name="target" ${FRAME_SIZE}></iframe><script>gate.run(async () => {
      const frame = document.querySelector('iframe');
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
      open('${src}', 'target');
      await loaded;
    })</script>`,
  ),
  createCase(
    'pop-up from a sandboxed page, listed page',
    LISTED,
    'denied',
    sandboxedPopUp,
    LEAVES_PAGE,
  ),
  createCase('listed page, opened by an unlisted page', UNLISTED, 'shown', ({ addPage, frame }) => {
    const url = addPage(frame());
    return `<script>gate.run(async () => { open('${url}'); await gate.call('answered'); })</script>`;
  }),
  createCase('unlisted page, opened by a listed page', LISTED, 'denied', ({ addPage, frame }) => {
    const url = addPage(frame(), UNLISTED);
    return `<script>gate.run(async () => { open('${url}'); await gate.call('answered'); })</script>`;
  }),
]);

function ISOLATION(): Record<string, string> {
  return {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  };
}

/** The page removes itself if it is not cross-origin isolated. */
function requireIsolation({ frame }: GateRun): string {
  return `${frame('allow="cross-origin-isolated"')}<script>if (!crossOriginIsolated) document.documentElement.remove()</script>`;
}

function writeInto(target: string, html: string): string {
  return `<iframe ${FRAME_SIZE}></iframe><script>gate.run(async () => {
    const target = ${target};
    target.write(${JSON.stringify(html).replaceAll('</', '<\\/')});
    target.close();
    await gate.call('answered');
  })</script>`;
}

const open = (script: string) => `<script>gate.leave(() => { ${script} })</script>`;

/** A form that requests the framed document. */
export function renderForm({ src }: GateRun, target: string, method = 'get'): string {
  const url = new URL(src);
  const fields = [...url.searchParams].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  );
  const action = method === 'get' ? url.origin + url.pathname : src;
  return `<form action="${action}" method="${method}" target="${target}">${fields.join('')}</form>`;
}

function sandboxedPopUp({ nest, src }: GateRun): string {
  const inner = nest(
    `<script>open('${src}')</script>`,
    LISTED,
    'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"',
  );
  return `${inner}<script>gate.run(() => gate.call('answered'))</script>`;
}
