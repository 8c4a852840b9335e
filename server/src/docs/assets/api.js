import { h, withCode } from './dom.js';
import { fields } from './schema-fields.js';
import { createTryForm } from './try-form.js';
import './docs.js';

const token = document.querySelector('#token');
const loading = document.querySelector('#loading');

keepHourFresh();
sayElsewhere();
try {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  show(await response.json());
  loading.remove();
  jump();
} catch (error) {
  loading.textContent = `/openapi.json could not be read: ${error.message}. Reload the page.`;
}

/** The command that makes a token for this page, always with an end one hour from now. */
function keepHourFresh() {
  const code = document.querySelector('#token-command code');
  const text = code.textContent;
  const refresh = () => {
    const end = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
    code.textContent = text.replace('IN_ONE_HOUR', end);
  };
  refresh();
  setInterval(refresh, 60_000);
}

/** A token is bound to the public address; under another name of this machine it is refused. */
function sayElsewhere() {
  const note = document.querySelector('#elsewhere');
  const { publicUrl } = note.dataset;
  if (publicUrl === location.origin) return;
  const there = h('a', { href: `${publicUrl}/docs/api` }, publicUrl);
  note.replaceChildren('To send requests, open this page at the service’s own address: ', there);
  note.hidden = false;
}

function show(api) {
  const root = document.querySelector('#operations');
  const list = document.querySelector('.contents ul');
  for (const { name, description } of api.tags) {
    const operations = operationsOf(api, name);
    if (operations.length === 0) continue;
    const heading = h('h2', { id: name }, title(name));
    root.append(h('section', { 'aria-labelledby': name }, heading, h('p', {}, description)));
    root.lastChild.append(...operations.map((one) => article(api, one)));
    const links = operations.map(({ id, summary }) =>
      h('li', {}, h('a', { href: `#${id}` }, summary)),
    );
    list.append(h('li', {}, h('a', { href: `#${name}` }, title(name)), h('ul', {}, links)));
  }
}

function operationsOf(api, tag) {
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

function article(api, operation) {
  const { id, method, path, summary, description } = operation;
  const address = h('p', { class: 'address' }, h('b', {}, method), ' ', h('code', {}, path));
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const ok = Object.entries(operation.responses).filter(([status]) => status !== 'default');
  const answers = ok.flatMap(([status, answer]) => [
    h('p', {}, h('b', {}, `${status} `), ...withCode(answer.description)),
    ...fields(api, Object.values(answer.content ?? {}).at(-1)?.schema),
  ]);
  return h(
    'article',
    { class: 'operation', id, 'aria-labelledby': `${id}-heading` },
    h('h3', { id: `${id}-heading` }, summary),
    address,
    ...description.split('\n\n').map((text) => h('p', {}, ...withCode(text))),
    ...(bodies.length === 0 ? [] : [h('h4', {}, 'Body'), ...bodyFields(api, bodies)]),
    h(
      'details',
      {},
      h('summary', {}, 'Answers', quiet(` of ${summary}`)),
      ...answers,
      problemNote(),
    ),
    lazyDetails('Try it', summary, () => createTryForm(api, operation, token)),
  );
}

function bodyFields(api, bodies) {
  const [[type, { schema }]] = bodies;
  if (type === 'application/json') return fields(api, schema);
  const types = bodies.map(([name]) => `\`${name}\``).join(', ');
  return [h('p', {}, ...withCode(`A file, as one of ${types}.`))];
}

function problemNote() {
  const link = h('a', { href: '/docs/problems' }, 'problem');
  return h('p', {}, 'Anything else is a ', link, ' with a code and a cure.');
}

/** Details whose inside is made when it is first opened. */
function lazyDetails(label, of, make) {
  const details = h('details', {}, h('summary', {}, label, quiet(`: ${of}`)));
  details.addEventListener('toggle', () => details.append(make()), { once: true });
  return details;
}

function quiet(text) {
  return h('span', { class: 'quiet' }, text);
}

function title(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The address named a section before there was one. */
function jump() {
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
