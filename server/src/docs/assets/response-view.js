import { codeBlock, h } from './dom.js';

/** Where the answer to a request appears; what matters of it is read out. */
export function createResponseView() {
  const status = h('p', { role: 'status', class: 'status' });
  const meter = h('progress', { 'aria-label': 'Upload', max: '1', hidden: true });
  const rest = h('div', {});
  const root = h('div', { class: 'answer' }, status, meter, rest);

  const send = (request, token, done) => {
    const xhr = open(request, token);
    const start = performance.now();
    status.textContent = 'Sending …';
    rest.replaceChildren();
    xhr.upload.addEventListener('progress', ({ loaded, total }) => {
      meter.hidden = request.file === undefined;
      meter.value = loaded / total;
    });
    xhr.addEventListener('loadend', async () => {
      meter.hidden = true;
      const ms = Math.round(performance.now() - start);
      status.textContent =
        xhr.status === 0
          ? 'No answer: the service could not be reached.'
          : `${xhr.status} ${xhr.statusText}, after ${ms} ms`;
      status.className = xhr.status >= 200 && xhr.status < 400 ? 'status' : 'status failed';
      if (xhr.status !== 0) rest.append(...(await show(xhr)));
      done();
    });
    xhr.send(bodyOf(request));
  };
  return { root, send };
}

/** Not fetch, which does not tell how far an upload is. */
function open({ method, url, headers, accept, needsToken, type }, token) {
  const xhr = new XMLHttpRequest();
  xhr.open(method, url);
  xhr.responseType = 'blob';
  if (needsToken && token !== '') xhr.setRequestHeader('Authorization', `Bearer ${token}`);
  if (accept) xhr.setRequestHeader('Accept', accept);
  for (const [name, value] of headers) xhr.setRequestHeader(name, value);
  if (type !== undefined && type !== 'multipart/form-data') {
    xhr.setRequestHeader('Content-Type', type);
  }
  return xhr;
}

function bodyOf({ type, body, file }) {
  if (type !== 'multipart/form-data') return body ?? file ?? null;
  const form = new FormData();
  form.append('file', file);
  return form;
}

async function show(xhr) {
  const blob = xhr.response;
  const headers = codeBlock(xhr.getAllResponseHeaders().trim(), 'Headers of the answer');
  const details = h('details', {}, h('summary', {}, 'Headers'), headers.block);
  if (blob === null || blob.size === 0) return [details];
  return [await bodyView(blob), details];
}

async function bodyView(blob) {
  if (!/json|^text\//.test(blob.type)) {
    const href = URL.createObjectURL(blob);
    const link = h('a', { href, download: 'answer' }, 'Save it');
    return h('p', {}, `${blob.size.toLocaleString()} bytes of ${blob.type}. `, link);
  }
  const text = await blob.text();
  const body = codeBlock(
    blob.type.includes('json') ? pretty(text) : text,
    'Body of the answer',
  ).block;
  const page = /"type":"(\/docs\/problems#[a-z.-]+)"/.exec(text)?.[1];
  if (page !== undefined && /problem/.test(blob.type)) {
    // In a tab of its own: this one holds the token.
    const link = h('a', { href: page, target: '_blank', rel: 'noopener' }, WHAT);
    body.append(h('p', {}, link));
  }
  return body;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

const WHAT = 'What this means, and what to do (in a new tab)';
