import type { Design, ProcessingReport } from '@cloche/contract/design';
import type { ModelCounts } from '@cloche/contract/model-stats';
import { formatBytes, formatInteger, formatLength } from './format.ts';
import { h } from './ui/dom.ts';

const COUNTS: [name: keyof ModelCounts, label: string][] = [
  ['triangles', 'Triangles'],
  ['vertices', 'Vertices'],
  ['meshes', 'Meshes'],
  ['materials', 'Materials'],
  ['textures', 'Textures'],
  ['animations', 'Animations'],
  ['variants', 'Material variants'],
];

/** Renders the report of a design: sizes and contents before and after, dimensions, and warnings. */
export function renderReport({ report, stats }: Design): HTMLElement[] {
  if (report === null) return [];
  const bounds = stats?.bounds;
  return [
    h('h3', {}, 'Report'),
    h('p', {}, describeSizes(report)),
    ...(bounds ? [h('p', {}, `Dimensions: ${describeDimensions(bounds)}.`)] : []),
    renderTable(report),
    ...renderWarnings(report),
  ];
}

function describeSizes({ format, before, after, previewBytes }: ProcessingReport): string {
  const preview =
    previewBytes === undefined ? '' : `, and first a preview of ${formatBytes(previewBytes)}`;
  const file = `Your file (${format.toUpperCase()}) has ${formatBytes(before.bytes)}.`;
  return `${file} Visitors load ${formatBytes(after.bytes)}${preview}.`;
}

function describeDimensions({ min, max }: { min: number[]; max: number[] }): string {
  const sizes = max.map((value, axis) => formatLength(value - (min[axis] ?? 0)));
  return `${sizes[0]} wide, ${sizes[1]} high, ${sizes[2]} deep`;
}

function renderTable({ before, after }: ProcessingReport): HTMLElement {
  const rows = COUNTS.filter(([name]) => before[name] > 0 || after[name] > 0).map(([name, label]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, label),
      h('td', {}, formatInteger(before[name])),
      h('td', {}, formatInteger(after[name])),
    ),
  );
  const size = h(
    'tr',
    {},
    h('th', { scope: 'row' }, 'Size'),
    h('td', {}, formatBytes(before.bytes)),
    h('td', {}, formatBytes(after.bytes)),
  );
  const columns = ['Your file', 'For visitors'].map((text) => h('th', { scope: 'col' }, text));
  return h(
    'table',
    { class: 'counts' },
    h('thead', {}, h('tr', {}, h('td', {}), ...columns)),
    h('tbody', {}, size, ...rows),
  );
}

function renderWarnings({ warnings }: ProcessingReport): HTMLElement[] {
  if (warnings.length === 0) return [h('p', {}, 'Nothing was left out or assumed.')];
  const items = warnings.map(({ code, message }) => h('li', {}, message, ' ', h('code', {}, code)));
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  return [h('h4', {}, count), h('ul', { class: 'warnings' }, ...items)];
}
