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
    list.replaceChildren(...items.map((design) => renderItem(client, design, onSelect)));
  } catch (error) {
    getElement('designs').hidden = false;
    list.replaceChildren(h('li', {}, renderError(error)));
  }
}

function renderItem(
  client: ApiClient,
  design: Design,
  onSelect: (design: Design) => void,
): HTMLElement {
  const picture = h('span', { class: 'poster' });
  void showPoster(client, design, picture);
  const button = h(
    'button',
    { type: 'button', class: 'card', onclick: () => onSelect(design) },
    picture,
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

/** Loads the poster with the session: an image element cannot send an Authorization header. */
async function showPoster(client: ApiClient, design: Design, picture: HTMLElement): Promise<void> {
  const url = findPosterUrl(design);
  if (url === undefined) return;
  try {
    const blob = await (await client.request(url, { accept: 'image/webp' })).blob();
    const image = h('img', { alt: '', src: URL.createObjectURL(blob) });
    image.addEventListener('load', () => URL.revokeObjectURL(image.src));
    picture.replaceChildren(image);
  } catch {
    // Without its poster the design is listed by its name.
  }
}

function findPosterUrl(_design: Design): string | undefined {
  return undefined;
}
