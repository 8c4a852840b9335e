import type { Design } from '@cloche/contract/design';
import type { EmbedSnippet } from '@cloche/contract/embed';
import type { CreatedToken } from '@cloche/contract/token';
import type { ApiClient } from '../src/api/api-client.ts';
import { parsePageOrigins } from '../src/origins/page-origins.ts';
import { createCodeBlock } from './code-block.ts';
import { h, visuallyHidden } from './dom.ts';
import { renderError } from './render-error.ts';
import { watchDesign } from './watch-design.ts';

const SAMPLE_URL = '/docs/assets/sample.glb';

/** What the steps have returned so far. */
type FlowState = { uri?: string; snippet?: EmbedSnippet; token?: CreatedToken };

type Step = {
  root: HTMLElement;
  /** Shows what the step has returned. */
  result: HTMLElement;
  /** Runs a request, and shows its result or its error. */
  run(action: (client: ApiClient) => Promise<(Node | string)[]>): Promise<void>;
};

/**
 * Creates the four steps of embedding, each with a button that sends its request. `getClient` returns
 * undefined, and asks for the token, if there is no session.
 */
export function createEmbedFlow(getClient: () => ApiClient | undefined): HTMLElement {
  const state: FlowState = {};
  const steps = [
    createDesignStep(state, getClient),
    createSnippetStep(state, getClient),
    createTokenStep(state, getClient),
    createInsertStep(state, getClient),
  ];
  return h('ol', { class: 'flow' }, steps);
}

function createDesignStep(state: FlowState, getClient: () => ApiClient | undefined): HTMLElement {
  const step = createStep('Choose a design', 'POST /v1/designs', getClient);
  const upload = (file: () => Promise<Blob>, name: string) =>
    step.run(async (client) => {
      const query = new URLSearchParams({ name });
      const response = await client.request(`/v1/designs?${query}`, { file: await file() });
      const design: Design = await response.json();
      const status = h('p', { class: 'hint' }, 'Processing …');
      void showProgress(client, design.id, status);
      state.uri = design.uri;
      return [formatResponse({ id: design.id, uri: design.uri, name: design.name }), status];
    });
  const sample = h('button', { type: 'button' }, 'Use the sample');
  sample.addEventListener('click', () =>
    upload(async () => (await fetch(SAMPLE_URL)).blob(), 'Sample'),
  );
  const input = h('input', { type: 'file', id: 'flow-file' });
  input.addEventListener('change', () => {
    const file = input.files?.[0];
    if (file !== undefined) void upload(async () => file, file.name.replace(/\.\w+$/, ''));
  });
  const label = h('label', { for: 'flow-file' }, 'Or your own file');
  step.result.before(h('div', { class: 'flow-controls' }, sample, h('div', {}, label, input)));
  return step.root;
}

function createSnippetStep(state: FlowState, getClient: () => ApiClient | undefined): HTMLElement {
  const step = createStep('Get its HTML', 'POST /embed/iframe/v1', getClient);
  const button = h('button', { type: 'button' }, 'Get the HTML');
  button.addEventListener('click', () =>
    step.run(async (client) => {
      const uri = getRequired(state.uri, 'Choose a design first: step 1.');
      state.snippet = await client.getJson<EmbedSnippet>('/embed/iframe/v1', { uri });
      return [createCodeBlock(state.snippet.html, 'HTML with the placeholder').block];
    }),
  );
  step.result.before(button);
  return step.root;
}

function createTokenStep(state: FlowState, getClient: () => ApiClient | undefined): HTMLElement {
  const step = createStep('Create a token for your page', 'POST /v1/tokens', getClient);
  const input = h('input', { type: 'text', id: 'flow-origin', spellcheck: 'false' });
  input.value = location.origin;
  const button = h('button', { type: 'button' }, 'Create the token');
  button.addEventListener('click', () =>
    step.run(async (client) => {
      state.token = await client.getJson<CreatedToken>('/v1/tokens', {
        capabilities: ['embed'],
        origins: parsePageOrigins(input.value),
        type: 'api',
        user: '~',
      });
      const { id, token, capabilities, origins } = state.token;
      return [formatResponse({ id, token, capabilities, origins })];
    }),
  );
  const label = h('label', { for: 'flow-origin' }, 'Address of your page');
  const hint = h(
    'p',
    { class: 'hint' },
    'With the address of this page, step 4 shows the design here.',
  );
  step.result.before(label, h('div', { class: 'flow-controls' }, input, button), hint);
  return step.root;
}

function createInsertStep(state: FlowState, getClient: () => ApiClient | undefined): HTMLElement {
  const step = createStep('Put the token into the HTML', undefined, getClient);
  const button = h('button', { type: 'button' }, 'Put them together');
  button.addEventListener('click', () =>
    step.run(async () => {
      const snippet = getRequired(state.snippet, 'Get the HTML first: step 2.');
      const { token, origins } = getRequired(state.token, 'Create a token first: step 3.');
      const { block } = createCodeBlock(
        snippet.html.replace(snippet.placeholder, token),
        'HTML for your page',
      );
      if (!origins.includes(location.origin)) {
        return [block, h('p', { class: 'hint' }, `Paste it into a page of ${origins.join(', ')}.`)];
      }
      const src = snippet.src.replace(snippet.placeholder, token);
      const frame = {
        src,
        title: 'The design',
        referrerpolicy: 'strict-origin',
        class: 'flow-embed',
      };
      return [block, h('iframe', { ...frame, allow: 'fullscreen' })];
    }),
  );
  step.result.before(button);
  return step.root;
}

function createStep(
  title: string,
  request: string | undefined,
  getClient: () => ApiClient | undefined,
): Step {
  const result = h('div', { class: 'flow-result' });
  const failure = h('div', { role: 'alert' });
  const status = visuallyHidden('', { role: 'status' });
  const endpoint = request === undefined ? [] : [h('p', {}, h('code', {}, request))];
  const root = h('li', {}, h('h3', {}, title), ...endpoint, result, failure, status);
  const run: Step['run'] = async (action) => {
    const client = getClient();
    if (client === undefined) return;
    root.setAttribute('aria-busy', 'true');
    for (const element of [result, failure, status]) element.replaceChildren();
    try {
      result.append(...(await action(client)));
      status.textContent = `${title}: done.`;
    } catch (error) {
      failure.append(renderError(error));
    } finally {
      root.removeAttribute('aria-busy');
    }
  };
  return { root, result, run };
}

async function showProgress(client: ApiClient, id: string, status: HTMLElement): Promise<void> {
  try {
    const design = await watchDesign(
      client,
      id,
      ({ progress }) => {
        if (progress) status.textContent = `Processing: ${progress.step}, ${progress.percent} %`;
      },
      new AbortController().signal,
    );
    status.textContent = design.problem === null ? 'The design is ready.' : design.problem.detail;
  } catch (error) {
    status.replaceChildren(renderError(error));
  }
}

function getRequired<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new Error(message);
  return value;
}

function formatResponse(value: object): HTMLElement {
  return createCodeBlock(JSON.stringify(value, undefined, 2), 'Response').block;
}
