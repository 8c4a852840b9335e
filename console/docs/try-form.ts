import { createCodeBlock } from './code-block.ts';
import { type FormRequest, toCurlCommand } from './curl-command.ts';
import { h, withCode } from './dom.ts';
import { type Endpoint, type JsonSchema, type OpenApi, resolveRef } from './openapi.ts';
import { createResponseView } from './response-view.ts';

type ParamField = { name: string; location: string; input: HTMLInputElement; row: HTMLElement };
type BodyFields = {
  rows: HTMLElement[];
  read(): Pick<FormRequest, 'type' | 'body' | 'file'>;
};

let fieldCount = 0;

/**
 * Creates a form that sends requests of an operation with the session, and shows the curl command and the response.
 */
export function createTryForm(api: OpenApi, endpoint: Endpoint): HTMLElement {
  const params = createParamFields(api, endpoint);
  const body = createBodyFields(api, endpoint);
  const accept = createAcceptField(endpoint);
  const curl = createCodeBlock('', 'As a curl command');
  const response = createResponseView();
  const button = h('button', { type: 'submit', class: 'send' }, 'Send');

  const read = (): FormRequest => ({
    ...readParams(endpoint, params),
    method: endpoint.method,
    accept: accept.input.value,
    needsToken: endpoint.security.some((scheme) => 'apiToken' in scheme),
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
    response.send(read(), () => {
      button.disabled = false;
    });
  });
  refresh();
  return form;
}

/** Creates a labeled field. Screen readers read `help` with it. */
function createRow(label: string | HTMLElement[], input: HTMLElement, help?: string): HTMLElement {
  fieldCount += 1;
  input.id = `field-${fieldCount}`;
  const row = h('div', { class: 'row' }, h('label', { for: input.id }, ...[label].flat()), input);
  if (help) {
    input.setAttribute('aria-describedby', `help-${fieldCount}`);
    row.append(h('p', { class: 'hint', id: `help-${fieldCount}` }, ...withCode(help)));
  }
  return row;
}

function createParamFields(api: OpenApi, { parameters = [], security }: Endpoint): ParamField[] {
  // Credentials other than the API token are entered as parameters.
  const credentials = security
    .flatMap((scheme) => Object.keys(scheme))
    .map((name) => api.components.securitySchemes[name])
    .filter((scheme) => scheme !== undefined)
    .filter(({ type }) => type === 'apiKey')
    .map((scheme) => ({ ...scheme, required: false }));
  return [...parameters, ...credentials].map(
    ({ name, in: location, required = false, description }) => {
      const attributes = { type: 'text', autocomplete: 'off', spellcheck: 'false', required };
      const input = h('input', attributes);
      const hint = h('i', {}, ` in the ${location}${required ? '' : ', optional'}`);
      const row = createRow([h('code', {}, name), hint], input, description);
      return { name, location, input, row };
    },
  );
}

function readParams(
  { path }: Endpoint,
  params: readonly ParamField[],
): Pick<FormRequest, 'url' | 'headers'> {
  const query = new URLSearchParams();
  const headers: [string, string][] = [];
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

function createAcceptField({ responses }: Endpoint) {
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  const input = h('select', {}, ...types.map((type) => h('option', {}, type)));
  return { input, row: types.length > 1 ? createRow('Accept', input) : undefined };
}

/** Creates the fields of the body: none, a JSON editor, or a file with its type. */
function createBodyFields(api: OpenApi, { requestBody }: Endpoint): BodyFields {
  const content = Object.entries(requestBody?.content ?? {});
  const [first] = content;
  if (first === undefined) return { rows: [], read: () => ({}) };
  const [type, media] = first;
  if (type === 'application/json')
    return createJsonFields(resolveRef(api, media.schema), media.example);
  return createFileFields(content.map(([name]) => name));
}

function createJsonFields(schema: JsonSchema, example: unknown): BodyFields {
  const text = JSON.stringify(example ?? schema.examples?.[0] ?? {}, undefined, 2);
  const rows = text.split('\n').length + 1;
  const editor = h('textarea', { rows, spellcheck: 'false', autocapitalize: 'off' }, text);
  const read = () => ({ type: 'application/json', body: editor.value });
  return { rows: [createRow('Body, JSON', editor)], read };
}

function createFileFields(types: readonly string[]): BodyFields {
  const fileInput = h('input', { type: 'file', required: true });
  const typeSelect = h('select', {}, ...types.map((type) => h('option', {}, type)));
  const read = () => ({ type: typeSelect.value, file: fileInput.files?.[0] });
  return { rows: [createRow('File', fileInput), createRow('Content-Type', typeSelect)], read };
}
