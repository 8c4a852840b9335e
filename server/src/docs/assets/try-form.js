import { toCurlCommand } from './curl-command.js';
import { codeBlock, h, withCode } from './dom.js';
import { createResponseView } from './response-view.js';
import { resolveRef } from './schema-fields.js';

let fieldCount = 0;

/** Creates a form that sends requests of an operation, and shows the curl command and the response. */
export function createTryForm(api, operation, tokenField) {
  const params = createParamFields(api, operation);
  const body = createBodyFields(api, operation);
  const accept = createAcceptField(operation);
  const curl = codeBlock('', 'As a curl command');
  const response = createResponseView();
  const button = h('button', { type: 'submit', class: 'send' }, 'Send');

  const read = () => ({
    ...readParams(operation, params),
    method: operation.method,
    accept: accept.input.value,
    needsToken: operation.security.some((scheme) => 'apiToken' in scheme),
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
    response.root,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    response.send(read(), tokenField.value.trim(), () => {
      button.disabled = false;
    });
  });
  refresh();
  return form;
}

/** Creates a labeled field. Screen readers read `help` with it. */
function createRow(label, input, help) {
  fieldCount += 1;
  input.id = `field-${fieldCount}`;
  const parts = [h('label', { for: input.id }, ...[label].flat()), input];
  if (help) {
    input.setAttribute('aria-describedby', `help-${fieldCount}`);
    parts.push(h('p', { class: 'hint', id: `help-${fieldCount}` }, ...withCode(help)));
  }
  return h('div', { class: 'row' }, parts);
}

function createParamFields(api, { parameters = [], security }) {
  // Credentials other than the API token are entered as parameters.
  const credentials = security
    .flatMap((scheme) => Object.keys(scheme))
    .map((name) => api.components.securitySchemes[name])
    .filter(({ type }) => type === 'apiKey');
  return [...parameters, ...credentials].map(
    ({ name, in: location, required = false, description }) => {
      const attributes = { type: 'text', autocomplete: 'off', spellcheck: 'false', required };
      const input = h('input', attributes);
      const hint = h('i', {}, ` in the ${location}${required ? '' : ', optional'}`);
      return {
        name,
        location,
        input,
        row: createRow([h('code', {}, name), hint], input, description),
      };
    },
  );
}

function readParams({ path }, params) {
  const query = new URLSearchParams();
  const headers = [];
  let url = path;
  for (const { name, location, input } of params) {
    const value = input.value.trim();
    if (location === 'path')
      url = url.replace(`{${name}}`, encodeURIComponent(value) || `{${name}}`);
    else if (value !== '' && location === 'query') query.append(name, value);
    else if (value !== '') headers.push([name, value]);
  }
  return { url: url + (query.size === 0 ? '' : `?${query}`), headers };
}

function createAcceptField({ responses }) {
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  const input = h('select', {}, ...types.map((type) => h('option', {}, type)));
  return types.length > 1 ? { input, row: createRow('Accept', input) } : { input };
}

/** Creates the fields of the body: none, a JSON editor, or a file with its type. */
function createBodyFields(api, { requestBody }) {
  const content = Object.entries(requestBody?.content ?? {});
  if (content.length === 0) return { rows: [], read: () => ({}) };
  const [[type, media]] = content;
  if (type === 'application/json')
    return createJsonFields(resolveRef(api, media.schema), media.example);
  return createFileFields(content.map(([name]) => name));
}

function createJsonFields(schema, example) {
  const text = JSON.stringify(example ?? schema.examples?.[0] ?? {}, undefined, 2);
  const rows = String(text.split('\n').length + 1);
  const editor = h('textarea', { rows, spellcheck: 'false', autocapitalize: 'off' }, text);
  const read = () => ({ type: 'application/json', body: editor.value });
  return { rows: [createRow('Body, JSON', editor)], read };
}

function createFileFields(types) {
  const fileInput = h('input', { type: 'file', required: true });
  const typeSelect = h('select', {}, ...types.map((type) => h('option', {}, type)));
  const read = () => ({ type: typeSelect.value, file: fileInput.files[0] });
  return { rows: [createRow('File', fileInput), createRow('Content-Type', typeSelect)], read };
}
