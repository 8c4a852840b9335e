import { h, visuallyHidden, withCode } from './dom.ts';
import type { Endpoint, MediaType, OpenApi } from './openapi.ts';
import { renderFields } from './schema-fields.ts';
import { createTryForm } from './try-form.ts';

type RenderOptions = {
  root: HTMLElement;
  /** The list of the table of contents. */
  contents: HTMLElement;
};

/** Renders every operation of the API, with a form to try it. */
export function renderOperations(api: OpenApi, options: RenderOptions): void {
  const { root, contents } = options;
  for (const { name, description } of api.tags) {
    const endpoints = listEndpoints(api, name);
    if (endpoints.length === 0) continue;
    const heading = h('h2', { id: name }, capitalize(name));
    const section = h('section', { 'aria-labelledby': name }, heading, h('p', {}, description));
    section.append(...endpoints.map((endpoint) => renderEndpoint(api, endpoint)));
    root.append(section);
    const links = endpoints.map(({ operationId, summary }) =>
      h('li', {}, h('a', { href: `#${operationId}` }, summary)),
    );
    const title = h('a', { href: `#${name}` }, capitalize(name));
    contents.append(h('li', {}, title, h('ul', {}, links)));
  }
}

function listEndpoints(api: OpenApi, tag: string): Endpoint[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

function renderEndpoint(api: OpenApi, endpoint: Endpoint): HTMLElement {
  const { operationId: id, method, path, summary, description } = endpoint;
  const bodies = Object.entries(endpoint.requestBody?.content ?? {});
  const responses = Object.entries(endpoint.responses)
    .filter(([status]) => status !== 'default')
    .flatMap(([status, response]) => [
      h('p', {}, h('b', {}, `${status} `), ...withCode(response.description)),
      ...renderFields(api, Object.values(response.content ?? {}).at(-1)?.schema),
    ]);
  return h(
    'article',
    { class: 'operation', id, 'aria-labelledby': `${id}-heading` },
    h('h3', { id: `${id}-heading` }, summary),
    h('p', { class: 'endpoint' }, h('b', {}, method), ' ', h('code', {}, path)),
    ...description.split('\n\n').map((text) => h('p', {}, ...withCode(text))),
    ...renderBodyFields(api, bodies),
    h(
      'details',
      {},
      h('summary', {}, 'Responses', visuallyHidden(` of ${summary}`)),
      ...responses,
      renderProblemNote(),
    ),
    createLazyDetails('Try it', summary, () => createTryForm(api, endpoint)),
  );
}

function renderBodyFields(api: OpenApi, bodies: [type: string, media: MediaType][]): HTMLElement[] {
  const [first] = bodies;
  if (first === undefined) return [];
  const [type, { schema }] = first;
  const heading = h('h4', {}, 'Body');
  if (type === 'application/json') return [heading, ...renderFields(api, schema)];
  const types = bodies.map(([name]) => `\`${name}\``).join(', ');
  return [heading, h('p', {}, ...withCode(`A file, as one of ${types}.`))];
}

function renderProblemNote(): HTMLElement {
  const link = h('a', { href: '/docs/problems' }, 'problem');
  return h('p', {}, 'Every other response is a ', link, ' with a code and an explanation.');
}

/** Creates a details element. Its content is created when it is first opened. */
function createLazyDetails(
  label: string,
  subject: string,
  createContent: () => HTMLElement,
): HTMLElement {
  const details = h('details', {}, h('summary', {}, label, visuallyHidden(`: ${subject}`)));
  details.addEventListener('toggle', () => details.append(createContent()), { once: true });
  return details;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
