import { h, withCode } from './dom.js';
import { renderFields } from './schema-fields.js';
import { createTryForm } from './try-form.js';
import './docs.js';

const tokenField = document.querySelector('#token');
const loading = document.querySelector('#loading');

keepExpiryCurrent();
showPublicUrlNote();
try {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`the response has status ${response.status}`);
  renderOperations(await response.json());
  loading.remove();
  scrollToHash();
} catch (error) {
  loading.textContent = `/openapi.json could not be read: ${error.message}. Reload the page.`;
}

/** Keeps the expiry in the command that creates a token at one hour from now. */
function keepExpiryCurrent() {
  const code = document.querySelector('#token-command code');
  const template = code.textContent;
  const refresh = () => {
    const expiry = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
    code.textContent = template.replace('IN_ONE_HOUR', expiry);
  };
  refresh();
  setInterval(refresh, 60_000);
}

/** Tokens work only at the public URL. If the page was opened at another URL, shows a link to it. */
function showPublicUrlNote() {
  const note = document.querySelector('#public-url-note');
  const { publicUrl } = note.dataset;
  if (publicUrl === location.origin) return;
  const link = h('a', { href: `${publicUrl}/docs/api` }, publicUrl);
  note.replaceChildren('To send requests, open this page at the public URL of the service: ', link);
  note.hidden = false;
}

function renderOperations(api) {
  const root = document.querySelector('#operations');
  const contents = document.querySelector('.contents ul');
  for (const { name, description } of api.tags) {
    const operations = listOperations(api, name);
    if (operations.length === 0) continue;
    const heading = h('h2', { id: name }, capitalize(name));
    const section = h('section', { 'aria-labelledby': name }, heading, h('p', {}, description));
    section.append(...operations.map((operation) => renderOperation(api, operation)));
    root.append(section);
    const links = operations.map(({ id, summary }) =>
      h('li', {}, h('a', { href: `#${id}` }, summary)),
    );
    contents.append(
      h('li', {}, h('a', { href: `#${name}` }, capitalize(name)), h('ul', {}, links)),
    );
  }
}

function listOperations(api, tag) {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({
        ...operation,
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
      })),
  );
}

function renderOperation(api, operation) {
  const { id, method, path, summary, description } = operation;
  const endpoint = h('p', { class: 'endpoint' }, h('b', {}, method), ' ', h('code', {}, path));
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const responses = Object.entries(operation.responses)
    .filter(([status]) => status !== 'default')
    .flatMap(([status, response]) => [
      h('p', {}, h('b', {}, `${status} `), ...withCode(response.description)),
      ...renderFields(api, Object.values(response.content ?? {}).at(-1)?.schema),
    ]);
  return h(
    'article',
    { class: 'operation', id, 'aria-labelledby': `${id}-heading` },
    h('h3', { id: `${id}-heading` }, summary),
    endpoint,
    ...description.split('\n\n').map((text) => h('p', {}, ...withCode(text))),
    ...(bodies.length === 0 ? [] : [h('h4', {}, 'Body'), ...renderBodyFields(api, bodies)]),
    h(
      'details',
      {},
      h('summary', {}, 'Responses', visuallyHidden(` of ${summary}`)),
      ...responses,
      renderProblemNote(),
    ),
    createLazyDetails('Try it', summary, () => createTryForm(api, operation, tokenField)),
  );
}

function renderBodyFields(api, bodies) {
  const [[type, { schema }]] = bodies;
  if (type === 'application/json') return renderFields(api, schema);
  const types = bodies.map(([name]) => `\`${name}\``).join(', ');
  return [h('p', {}, ...withCode(`A file, as one of ${types}.`))];
}

function renderProblemNote() {
  const link = h('a', { href: '/docs/problems' }, 'problem');
  return h('p', {}, 'Every other response is a ', link, ' with a code and an explanation.');
}

/** Creates a details element. Its content is created when it is first opened. */
function createLazyDetails(label, subject, createContent) {
  const details = h('details', {}, h('summary', {}, label, visuallyHidden(`: ${subject}`)));
  details.addEventListener('toggle', () => details.append(createContent()), { once: true });
  return details;
}

function visuallyHidden(text) {
  return h('span', { class: 'visually-hidden' }, text);
}

function capitalize(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Scrolls again: the browser scrolled to the hash before the operations were rendered. */
function scrollToHash() {
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
