import {
  createCase,
  createGroup,
  createPair,
  type GateCase,
  LISTED,
  REQUEST,
  UNLISTED,
} from '../gate-case.ts';
import type { GateRun } from '../gate-run.ts';

/** A script with the URLs of the files and a grant, which someone has copied from a listed page. */
const withGrant = (script: string) => `<script>gate.run(async () => {
  const { url, poster, grant } = JSON.parse(await gate.call('stolen-grant'));
  ${script}
})</script>`;

const READ = 'await gate.report(await response.text());';
const fetchModel = (options = '') =>
  withGrant(
    `const response = await fetch(url, { headers: { 'cloche-grant': grant }, ${options} }); ${READ}`,
  );

/** The grant of a framed document, used by someone else than the viewer. */
export const GRANT_CASES: GateCase[] = createGroup('Files with a stolen grant', [
  ...createPair('fetch', 'denied', () => fetchModel(), REQUEST),
  ...createPair(
    'fetch with credentials',
    'denied',
    () => fetchModel("credentials: 'include'"),
    REQUEST,
  ),
  ...createPair('fetch with no-cors', 'denied', () => fetchModel("mode: 'no-cors'"), REQUEST),
  ...createPair(
    'fetch of a range',
    'denied',
    () =>
      withGrant(
        `const response = await fetch(url, { headers: { 'cloche-grant': grant, range: 'bytes=0-3' } }); ${READ}`,
      ),
    REQUEST,
  ),
  ...createPair(
    'fetch with the grant in the URL',
    'denied',
    () =>
      withGrant(
        `const response = await fetch(url + (url.includes('?') ? '&' : '?') + 'cloche-grant=' + grant); ${READ}`,
      ),
    REQUEST,
  ),
  ...createPair(
    'fetch in a worker',
    'denied',
    (run) => {
      const worker = run.addFile(
        "onmessage = async ({ data: { url, grant } }) => postMessage(await (await fetch(url, { headers: { 'cloche-grant': grant } })).text())",
        'text/javascript',
      );
      return withGrant(`const worker = new Worker('${worker}');
      worker.onmessage = ({ data }) => gate.report(data);
      worker.postMessage({ url, grant });
      await gate.call('answered');`);
    },
    REQUEST,
  ),
  ...createPair(
    'XMLHttpRequest',
    'denied',
    () =>
      withGrant(`await new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.onloadend = resolve;
      request.onload = () => gate.report(request.responseText);
      request.open('GET', url);
      request.setRequestHeader('cloche-grant', grant);
      request.send();
    });`),
    REQUEST,
  ),
  ...createPair(
    'poster in <img>',
    'denied',
    () =>
      withGrant(
        "document.body.append(Object.assign(new Image(220, 180), { src: poster })); await gate.call('answered');",
      ),
    REQUEST,
  ),
  ...createPair(
    'poster in CSS',
    'denied',
    () =>
      withGrant(
        "document.body.style = 'height:180px;background:url(' + poster + ')'; await gate.call('answered');",
      ),
    REQUEST,
  ),
  ...createPair('poster in an iframe', 'denied', () =>
    withGrant(
      "document.body.append(Object.assign(document.createElement('iframe'), { src: poster })); await gate.call('answered');",
    ),
  ),
  ...createPair(
    'model in an iframe',
    'denied',
    () =>
      withGrant(
        "document.body.append(Object.assign(document.createElement('iframe'), { src: url })); await gate.call('answered');",
      ),
    REQUEST,
  ),
  createCase('fetch in a data: page', LISTED, 'denied', fetchIn('data'), REQUEST),
  createCase('fetch in a sandboxed page', LISTED, 'denied', fetchIn('sandbox'), REQUEST),
  createCase(
    'poster as a page',
    UNLISTED,
    'denied',
    () => withGrant('gate.leave(() => { location.href = poster; }); await new Promise(() => {});'),
    // Firefox shows an error page of its own instead of the refusal.
    REQUEST,
  ),
]);

/** Fetches the model in a page without an origin. */
function fetchIn(kind: 'data' | 'sandbox'): (run: GateRun) => string {
  return () =>
    withGrant(`
      addEventListener('message', ({ data }) => gate.report(data));
      const frame = document.createElement('iframe');
      const script = 'fetch(' + JSON.stringify(url) + ', { headers: { "cloche-grant": ' + JSON.stringify(grant) + ' } })' +
        '.then((response) => response.text()).then((text) => parent.postMessage(text, "*"))';
      const html = '<script>' + script + '<' + '/script>';
      if (${kind === 'sandbox'}) { frame.sandbox = 'allow-scripts'; frame.srcdoc = html; }
      else frame.src = 'data:text/html,' + encodeURIComponent(html);
      document.body.append(frame);
      await gate.call('answered');`);
}
