/** The script of the page with the examples: shows one at a time, with an editor and its result. */
import { getElement, h } from './dom.ts';
import './docs.ts';

const RESULT_URL = '/docs/examples/result';

const root = getElement('examples');
const sections = [...root.querySelectorAll('section')];
const { embed = '', sample = '' } = root.dataset;

const links = sections.map((section) => {
  const title = section.querySelector('h2')?.textContent ?? '';
  return h('a', { href: `#${section.id}` }, title);
});
const editor = h('textarea', {
  id: 'example-editor',
  spellcheck: false,
  autocomplete: 'off',
  autocapitalize: 'off',
  wrap: 'off',
  'aria-label': 'HTML of the example',
  'aria-describedby': 'example-note',
});
const run = h('button', { type: 'button', class: 'send', onclick: () => showResult() }, 'Run');
const reset = h('button', { type: 'button', onclick: () => select() }, 'Undo all changes');
const note = h(
  'p',
  { class: 'hint', id: 'example-note' },
  'Ctrl + Enter (⌘ + Enter) runs the page. It runs without access to this service, and only in your browser.',
);
const result = h('div', { class: 'example-result' });
const heading = h('div', { class: 'example-heading' });

root.prepend(
  h('nav', { class: 'example-list', 'aria-label': 'Examples' }, links),
  heading,
  h(
    'div',
    { class: 'example-panes' },
    h(
      'div',
      { class: 'example-source' },
      editor,
      h('div', { class: 'flow-controls' }, run, reset),
      note,
    ),
    result,
  ),
);
for (const section of sections) section.hidden = true;
editor.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) showResult();
});
addEventListener('hashchange', select);
select();

/** Shows the example that the URL names, as it was written. */
function select(): void {
  const index = Math.max(
    0,
    sections.findIndex(({ id }) => id === location.hash.slice(1)),
  );
  for (const [position, link] of links.entries()) {
    if (position === index) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  const section = sections[index];
  const title = h('h2', {}, section?.querySelector('h2')?.textContent ?? '');
  heading.replaceChildren(title, h('p', {}, section?.querySelector('p')?.textContent ?? ''));
  editor.value = section?.querySelector('code')?.textContent ?? '';
  editor.scrollTop = 0;
  showResult();
}

/** Runs the page of the editor, in a new frame: the code of the previous run ends. */
function showResult(): void {
  const frame = h('iframe', {
    src: RESULT_URL,
    title: 'Result of the example',
    allow: 'fullscreen',
  });
  const html = editor.value.replaceAll(location.origin + embed, location.origin + sample);
  const start = ({ source, origin }: MessageEvent) => {
    if (source !== frame.contentWindow || origin !== location.origin) return;
    removeEventListener('message', start);
    frame.contentWindow?.postMessage(html, location.origin);
  };
  addEventListener('message', start);
  result.replaceChildren(frame);
}
