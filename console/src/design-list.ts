import type { Design } from '@cloche/contract/design';
import type { ApiClient } from './api-client.ts';
import { renderError } from './api-error.ts';
import { formatAge, formatBytes } from './format.ts';
import { getElement, h } from './ui/dom.ts';

type DesignList = { items: Design[]; nextCursor: string | null };

const PAGE_SIZE = 12;

/** Shows the newest designs. `onSelect` is called when one is chosen. */
export async function showDesignList(
  client: ApiClient,
  onSelect: (design: Design) => void,
): Promise<void> {
  const list = getElement('design-list');
  try {
    const { items } = await client.getJson<DesignList>(`/v1/designs?limit=${PAGE_SIZE}`);
    getElement('designs').hidden = items.length === 0;
    list.replaceChildren(...items.map((design) => renderItem(design, onSelect)));
  } catch (error) {
    getElement('designs').hidden = false;
    list.replaceChildren(h('li', {}, renderError(error)));
  }
}

function renderItem(design: Design, onSelect: (design: Design) => void): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'card', onclick: () => onSelect(design) },
    renderPoster(design),
    h('span', { class: 'card-name' }, design.name),
    h('span', { class: 'hint' }, describe(design)),
  );
  return h('li', {}, button);
}

function describe({ status, stats, createdAt }: Design): string {
  const age = formatAge(new Date(createdAt), new Date());
  if (status !== 'ready') return `${status}, ${age}`;
  return `${stats === null ? '' : `${formatBytes(stats.bytes)}, `}${age}`;
}

/** Creates the poster, or an empty frame if the design has none. The URL needs no session. */
function renderPoster({ poster }: Design): HTMLElement {
  const image = poster ? [h('img', { alt: '', src: poster.smallUrl, loading: 'lazy' })] : [];
  return h('span', { class: 'poster' }, image);
}
