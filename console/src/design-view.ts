import type { Design } from '@cloche/contract/design';
import type { PreviewLink } from '@cloche/contract/preview-link';
import type { ApiClient } from './api-client.ts';
import { renderError } from './api-error.ts';
import { createEmbedForm } from './embed-form.ts';
import { renderReport } from './report-view.ts';
import { getElement, h } from './ui/dom.ts';

/** Shows one design: the live view, the form for its HTML, and its report. */
export function showDesign(client: ApiClient, design: Design, { focus = true } = {}): void {
  const section = getElement('design');
  const heading = h('h2', { id: 'design-heading', tabindex: -1 }, design.name);
  section.hidden = false;
  section.replaceChildren(
    heading,
    ...(design.problem ? [renderFailure(design)] : []),
    ...(design.revision === null ? [] : renderReadyDesign(client, design)),
  );
  if (!focus) return;
  heading.focus({ preventScroll: true });
  section.scrollIntoView({ block: 'start' });
}

/** Removes the design from the page. */
export function hideDesign(): void {
  const section = getElement('design');
  section.hidden = true;
  section.replaceChildren();
}

function renderReadyDesign(client: ApiClient, design: Design): HTMLElement[] {
  const view = h('div', { class: 'live-view' });
  void showLiveView(client, design, view);
  const embed = h('div', {}, h('h3', {}, 'Put it into your page'), createEmbedForm(client, design));
  return [
    h('div', { class: 'columns' }, view, embed),
    h('div', { class: 'report' }, ...renderReport(design)),
  ];
}

/** Loads the framed document, as visitors see it, with a preview link. */
async function showLiveView(
  client: ApiClient,
  { id, name }: Design,
  view: HTMLElement,
): Promise<void> {
  try {
    const path = `/v1/designs/${id}/preview-links`;
    const { src } = await client.getJson<PreviewLink>(path, undefined, 'POST');
    const frame = { src, title: name, referrerpolicy: 'strict-origin', allow: 'fullscreen' };
    view.replaceChildren(h('iframe', frame));
  } catch (error) {
    view.replaceChildren(renderError(error));
  }
}

function renderFailure({ problem, revision }: Design): HTMLElement {
  const link = h(
    'a',
    { href: `/docs/problems#${problem?.code}`, target: '_blank', rel: 'noopener' },
    'What this means',
  );
  const earlier = revision === null ? '' : ' Pages show the earlier file.';
  return h('p', { class: 'error' }, `${problem?.detail}${earlier} `, link);
}
