import type { CheckEmbedResponse, EmbedSnippet } from '@cloche/contract/embed';
import type { CreatedToken } from '@cloche/contract/token';
import type { ApiClient } from './api-client.ts';
import { renderError } from './api-error.ts';
import { parsePageOrigins } from './page-origins.ts';
import { createCodeBlock } from './ui/code-block.ts';
import { h, visuallyHidden } from './ui/dom.ts';

type EmbeddedDesign = { id: string; uri: string; name: string };

/** Creates the form that asks for the address of a page, and shows the HTML to paste there. */
export function createEmbedForm(client: ApiClient, design: EmbeddedDesign): HTMLElement {
  const input = h('input', {
    id: 'page-address',
    type: 'text',
    inputmode: 'url',
    autocomplete: 'url',
    spellcheck: 'false',
    required: true,
    placeholder: 'https://shop.example',
    'aria-describedby': 'page-address-hint',
  });
  const hint = h(
    'p',
    { class: 'hint', id: 'page-address-hint' },
    'The HTML works on this site only. Separate several sites by spaces.',
  );
  const button = h('button', { type: 'submit', class: 'primary' }, 'Create the HTML');
  const result = h('div', { class: 'embed-result' });
  const failure = h('div', { role: 'alert' });
  const status = visuallyHidden('', { role: 'status' });
  const submit = async (event: Event) => {
    event.preventDefault();
    button.disabled = true;
    for (const element of [result, failure, status]) element.replaceChildren();
    input.removeAttribute('aria-invalid');
    try {
      result.append(...(await createEmbed(client, design, parsePageOrigins(input.value))));
      status.textContent = 'The HTML is below.';
    } catch (error) {
      input.setAttribute('aria-invalid', 'true');
      failure.append(renderError(error));
    } finally {
      button.disabled = false;
    }
  };
  const row = h('div', { class: 'input-row' }, input, button);
  const label = h('label', { for: 'page-address' }, 'Address of your page');
  return h(
    'form',
    { onsubmit: submit, novalidate: true },
    label,
    row,
    hint,
    failure,
    status,
    result,
  );
}

async function createEmbed(
  client: ApiClient,
  { id, uri, name }: EmbeddedDesign,
  origins: string[],
): Promise<Node[]> {
  if (origins.length === 0) {
    throw new Error(
      'Enter the address of the page that will show the design, such as https://shop.example.',
    );
  }
  const snippet = await client.getJson<EmbedSnippet>('/embed/iframe/v1', { uri });
  const token = await client.getJson<CreatedToken>('/v1/tokens', {
    capabilities: ['embed'],
    origins,
    designs: [id],
    name: `${name}, ${origins[0]}`.slice(0, 200),
    type: 'api',
    user: '~',
  });
  const html = snippet.html.replace(snippet.placeholder, token.token);
  const warnings = await findWarnings(client, { tokenId: token.id, design: id, origins });
  const sites = token.origins.join(', ');
  return [
    h('p', {}, `Paste this HTML into a page of ${sites}:`),
    createCodeBlock(html, 'HTML for your page').block,
    ...warnings.map((warning) => h('p', { class: 'note' }, warning)),
  ];
}

/** The warnings help with likely mistakes, so the HTML is also shown without them. */
async function findWarnings(
  client: ApiClient,
  { tokenId, design, origins }: { tokenId: string; design: string; origins: string[] },
): Promise<string[]> {
  try {
    const check = await client.getJson<CheckEmbedResponse>('/v1/tokens/check', {
      tokenId,
      design,
      ancestors: origins.slice(0, 1).map((origin) => origin.replace('*.', 'www.')),
    });
    return check.warnings;
  } catch {
    return [];
  }
}
