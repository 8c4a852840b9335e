import { createCodeBlock } from './code-block.ts';
import type { FormRequest } from './curl-command.ts';
import { h } from './dom.ts';

/** Shows the response to a request. */
export type ResponseView = {
  root: HTMLElement;
  send(request: FormRequest, onDone: () => void): void;
};

/** Creates the element that shows the response to a request. Screen readers announce its status. */
export function createResponseView(): ResponseView {
  const status = h('p', { role: 'status', class: 'status' });
  const progress = h('progress', { 'aria-label': 'Upload', max: 1, hidden: true });
  const content = h('div');
  const root = h('div', { class: 'response' }, status, progress, content);

  const send: ResponseView['send'] = (request, onDone) => {
    const xhr = openRequest(request);
    const startMs = performance.now();
    status.textContent = 'Sending …';
    content.replaceChildren();
    xhr.upload.addEventListener('progress', ({ loaded, total }) => {
      progress.hidden = request.file === undefined;
      progress.value = loaded / total;
    });
    xhr.addEventListener('loadend', async () => {
      progress.hidden = true;
      const durationMs = Math.round(performance.now() - startMs);
      status.textContent =
        xhr.status === 0
          ? 'No response: the service could not be reached.'
          : `${xhr.status} ${xhr.statusText}, after ${durationMs} ms`;
      status.className = xhr.status >= 200 && xhr.status < 400 ? 'status' : 'status failed';
      if (xhr.status !== 0) content.append(...(await renderResponse(xhr)));
      onDone();
    });
    xhr.send(toRequestBody(request));
  };
  return { root, send };
}

/** Uses XMLHttpRequest because fetch does not report upload progress. */
function openRequest({ method, url, headers, accept, type }: FormRequest): XMLHttpRequest {
  const xhr = new XMLHttpRequest();
  xhr.open(method, url);
  xhr.responseType = 'blob';
  if (accept) xhr.setRequestHeader('Accept', accept);
  for (const [name, value] of headers) xhr.setRequestHeader(name, value);
  if (type !== undefined && type !== 'multipart/form-data') {
    xhr.setRequestHeader('Content-Type', type);
  }
  return xhr;
}

function toRequestBody({ type, body, file }: FormRequest): XMLHttpRequestBodyInit | null {
  if (type !== 'multipart/form-data' || file === undefined) return body ?? file ?? null;
  const form = new FormData();
  form.append('file', file);
  return form;
}

async function renderResponse(xhr: XMLHttpRequest): Promise<HTMLElement[]> {
  const blob: Blob | null = xhr.response;
  const headers = createCodeBlock(xhr.getAllResponseHeaders().trim(), 'Response headers');
  const details = h('details', {}, h('summary', {}, 'Headers'), headers.block);
  if (blob === null || blob.size === 0) return [details];
  return [await renderBody(blob), details];
}

async function renderBody(blob: Blob): Promise<HTMLElement> {
  if (!/json|^text\//.test(blob.type)) {
    const href = URL.createObjectURL(blob);
    const link = h('a', { href, download: 'response' }, 'Download');
    return h('p', {}, `${blob.size.toLocaleString()} bytes of ${blob.type}. `, link);
  }
  const text = await blob.text();
  const formatted = blob.type.includes('json') ? formatJson(text) : text;
  const { block } = createCodeBlock(formatted, 'Response body');
  const problemUrl = /"type":"(\/docs\/problems#[a-z.-]+)"/.exec(text)?.[1];
  if (problemUrl !== undefined && /problem/.test(blob.type)) {
    // In a new tab: leaving this page would lose what was entered.
    const attributes = { href: problemUrl, target: '_blank', rel: 'noopener' };
    block.append(h('p', {}, h('a', attributes, PROBLEM_LINK_TEXT)));
  }
  return block;
}

/** Formats JSON for people. A text that is not JSON is returned unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

const PROBLEM_LINK_TEXT = 'What this means, and what to do (in a new tab)';
