/** The script of the page about speed: measures an embed on the device of the reader. */
import { createCodeBlock } from './code-block.ts';
import { getElement, h } from './dom.ts';
import './docs.ts';
import { describeDevice } from './speed/describe-device.ts';
import { type EmbedTimings, measureEmbed } from './speed/measure-embed.ts';
import { parsePreviewLink } from './speed/parse-preview-link.ts';
import { type Figure, listFigures, renderSpeedReport } from './speed/speed-report.ts';

const SAMPLE_SRC = '/embed/sample/v1';

const root = getElement('speed-test');
const link = h('input', {
  id: 'preview-link',
  type: 'url',
  autocomplete: 'off',
  spellcheck: false,
  'aria-describedby': 'preview-link-note',
});
const button = h('button', { type: 'submit', class: 'send' }, 'Measure');
const status = h('p', { class: 'status', role: 'status' });
const stage = h('div', { class: 'speed-frame' });
const results = h('div');
const loads: EmbedTimings[] = [];
let measuredSrc = '';

root.replaceChildren(
  h(
    'form',
    { class: 'panel', novalidate: true, onsubmit: (event) => start(event) },
    h('label', { for: 'preview-link' }, 'Preview link of a design (optional)'),
    h('div', { class: 'flow-controls' }, link, button),
    h(
      'p',
      { class: 'hint', id: 'preview-link-note' },
      'Without a link, a sample of 0.6 MB is measured. It has no poster and no preview. Keep this page in view.',
    ),
    status,
  ),
  stage,
  results,
);

async function start(event: Event): Promise<void> {
  event.preventDefault();
  const src = link.value.trim() === '' ? SAMPLE_SRC : parsePreviewLink(link.value, location.origin);
  if (src === undefined) {
    const text = `This is not a preview link. It begins with ${location.origin}/preview/.`;
    return showStatus(text, 'failed');
  }
  button.disabled = true;
  try {
    if (src !== measuredSrc) loads.length = 0;
    measuredSrc = src;
    loads.push(await measureEmbed(stage, src, showStatus));
    showResults();
    showStatus('Measured. Measure again: the second load uses the cache of the browser.');
  } catch (error) {
    showStatus((error as Error).message, 'failed');
  } finally {
    button.disabled = false;
  }
}

function showStatus(text: string, state = ''): void {
  status.className = `status ${state}`;
  status.textContent = text;
}

function showResults(): void {
  const figures = listFigures(loads);
  const design = measuredSrc === SAMPLE_SRC ? 'the sample' : 'from a preview link';
  const report = renderSpeedReport(describeDevice(), design, figures);
  results.replaceChildren(
    createTable(figures),
    createCodeBlock(report, 'The figures as text').block,
  );
}

function createTable(figures: readonly Figure[]): HTMLElement {
  const header = h(
    'tr',
    {},
    h('td'),
    loads.map((_, index) => h('th', { scope: 'col' }, `Load ${index + 1}`)),
  );
  const rows = figures.map(({ name, values }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      values.map((value) => h('td', {}, value)),
    ),
  );
  const table = h('table', {}, h('thead', {}, header), h('tbody', {}, rows));
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Figures' }, table);
}
