import { toCurlCommand } from './curl-command.js';
import { codeBlock, h, withCode } from './dom.js';
import { createResponseView } from './response-view.js';
import { resolve } from './schema-fields.js';

let count = 0;

/** A form that makes one request of an operation, says it as curl, and shows the answer. */
export function createTryForm(api, operation, tokenField) {
  const params = paramFields(api, operation);
  const body = bodyFields(api, operation);
  const accept = acceptField(operation);
  const curl = codeBlock('', 'As a curl command');
  const answer = createResponseView();
  const button = h('button', { type: 'submit', class: 'send' }, 'Send');

  const read = () => ({
    ...readParams(operation, params),
    method: operation.method,
    accept: accept.input.value,
    needsToken: operation.security.some((key) => 'apiToken' in key),
    ...body.read(),
  });
  const refresh = () => curl.set(toCurlCommand(location.origin, read()));
  const form = h(
    'form',
    { oninput: refresh, onchange: refresh },
    ...params.map(({ row }) => row),
    ...body.rows,
    ...(accept.row === undefined ? [] : [accept.row]),
    h('p', { class: 'hint' }, 'As a command:'),
    curl.block,
    button,
    answer.root,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    answer.send(read(), tokenField.value.trim(), () => {
      button.disabled = false;
    });
  });
  refresh();
  return form;
}

/** A labelled field; `help` is read with it. */
function row(label, input, help) {
  count += 1;
  input.id = `field-${count}`;
  const parts = [h('label', { for: input.id }, ...[label].flat()), input];
  if (help) {
    input.setAttribute('aria-describedby', `help-${count}`);
    parts.push(h('p', { class: 'hint', id: `help-${count}` }, ...withCode(help)));
  }
  return h('div', { class: 'row' }, parts);
}

function paramFields(api, { parameters = [], security }) {
  // Keys that are no API token are sent as the parameters they are.
  const keys = security
    .flatMap((key) => Object.keys(key))
    .map((name) => api.components.securitySchemes[name])
    .filter(({ type }) => type === 'apiKey');
  return [...parameters, ...keys].map(({ name, in: place, required = false, description }) => {
    const attributes = { type: 'text', autocomplete: 'off', spellcheck: 'false', required };
    const input = h('input', attributes);
    const where = h('i', {}, ` in the ${place}${required ? '' : ', optional'}`);
    return { name, place, input, row: row([h('code', {}, name), where], input, description) };
  });
}

function readParams({ path }, params) {
  const query = new URLSearchParams();
  const headers = [];
  let filled = path;
  for (const { name, place, input } of params) {
    const value = input.value.trim();
    if (place === 'path')
      filled = filled.replace(`{${name}}`, encodeURIComponent(value) || `{${name}}`);
    else if (value !== '' && place === 'query') query.append(name, value);
    else if (value !== '') headers.push([name, value]);
  }
  return { url: filled + (query.size === 0 ? '' : `?${query}`), headers };
}

function acceptField({ responses }) {
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  const input = h('select', {}, ...types.map((type) => h('option', {}, type)));
  return types.length > 1 ? { input, row: row('Answer as', input) } : { input };
}

/** What a body needs: nothing, an editor of JSON, or a file with its type. */
function bodyFields(api, { requestBody }) {
  const content = Object.entries(requestBody?.content ?? {});
  if (content.length === 0) return { rows: [], read: () => ({}) };
  const [[type, media]] = content;
  if (type === 'application/json') return jsonFields(resolve(api, media.schema), media.example);
  return fileFields(content.map(([name]) => name));
}

function jsonFields(schema, example) {
  const text = JSON.stringify(example ?? schema.examples?.[0] ?? {}, undefined, 2);
  const rows = String(text.split('\n').length + 1);
  const editor = h('textarea', { rows, spellcheck: 'false', autocapitalize: 'off' }, text);
  const read = () => ({ type: 'application/json', body: editor.value });
  return { rows: [row('Body, JSON', editor)], read };
}

function fileFields(types) {
  const picker = h('input', { type: 'file', required: true });
  const choice = h('select', {}, ...types.map((type) => h('option', {}, type)));
  const read = () => ({ type: choice.value, file: picker.files[0] });
  return { rows: [row('File', picker), row('Send it as', choice)], read };
}
