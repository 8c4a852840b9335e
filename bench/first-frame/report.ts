import { CLOCHE } from './command-line.ts';
import { type JudgedGoal, judgeGoals } from './goals.ts';
import { NETWORK_PROFILES } from './network/profiles.ts';
import { type Results, type Sample, type SampleValue, takeMedian } from './results.ts';

type Column = { title: string; value: SampleValue; unit: number };

const COLUMNS: readonly Column[] = [
  { title: 'useful', value: 'usefulMs', unit: 1 },
  { title: 'first 3D', value: 'first3dMs', unit: 1 },
  { title: 'full', value: 'fullMs', unit: 1 },
  { title: 'kB until useful', value: 'usefulBytes', unit: 1000 },
  { title: 'kB until first 3D', value: 'first3dBytes', unit: 1000 },
  { title: 'kB until full', value: 'fullBytes', unit: 1000 },
  { title: 'blocking', value: 'blockingMs', unit: 1 },
  { title: 'memory, MiB', value: 'addedMemoryBytes', unit: 2 ** 20 },
];
const MODEL_VIEWER = 'model-viewer';

/** Renders the results as Markdown: the versions, the ratios, then a table for each network and visit. */
export function renderTables(results: Results): string {
  const sections = NETWORK_PROFILES.flatMap(({ name, label }) =>
    (['cold', 'warm'] as const).flatMap((visit) => {
      const rows = renderRows(results, name, visit);
      if (rows.length === 0) return [];
      const title = `${label}, ${visit === 'cold' ? 'first visit' : 'third visit'}`;
      return [
        `### ${capitalize(title)}`,
        renderTable(['model', 'viewer', ...COLUMNS.map(({ title }) => title)], rows),
      ];
    }),
  );
  return `${[describeRun(results), ...renderGoals(results), renderRatios(results), ...sections].join('\n\n')}\n`;
}

function describeRun({ takenAt, machine, versions, models, samples }: Results): string {
  const { cpu, cores, memoryGiB, system, node, browser } = machine;
  const peers = Object.entries(versions)
    .filter(([name]) => name !== CLOCHE)
    .map(([name, version]) => `${name} ${version}`);
  const rows = models.map(({ name, bytes, detail }) => [name, formatKilobytes(bytes), detail]);
  return `Taken on ${takenAt.slice(0, 10)}: ${browser} with software GL, ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}.${peers.length === 0 ? '' : ` Compared with ${peers.join(', ')}.`} ${describeRounds(samples)}

${renderTable(['model', 'kB', 'content'], rows)}`;
}

/** Networks and models may have been measured in runs of their own. */
function describeRounds(samples: readonly Sample[]): string {
  const rounds = [...Map.groupBy(samples, toKey).values()].map(({ length }) => length);
  if (rounds.length === 0) return 'No results.';
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  return least === most ? `Median of ${most}.` : `Medians of ${least} to ${most}.`;
}

const toKey = ({ model, network, contender, visit }: Sample) =>
  JSON.stringify([model, network, contender, visit]);

/** Nothing, if there is nothing to compare with. */
function renderGoals(results: Results): string[] {
  const goals = judgeGoals(results);
  if (goals.length === 0) return [];
  const rows = goals.map(({ model, network, visit, name, value, atMost, unit, result }) => [
    model,
    getNetworkLabel(network),
    visit,
    name,
    value === undefined ? '–' : formatGoalValue(value, unit),
    formatGoalValue(atMost, unit),
    result,
  ]);
  const header = ['model', 'network', 'visit', 'goal', 'value', 'at most', 'result'];
  return [`### Goals\n\n${renderTable(header, rows)}`];
}

const formatGoalValue = (value: number, unit: JudgedGoal['unit']) =>
  `${value.toFixed(unit === 'kB' ? 1 : 0)} ${unit}`;

const getNetworkLabel = (network: string) =>
  NETWORK_PROFILES.find(({ name }) => name === network)?.label ?? network;

/** Our times divided by those of others: below 1, ours is faster. */
function renderRatios(results: Results): string {
  const rows = listKeys(results).flatMap(({ model, network, visit }) => {
    const get = (contender: string, value: SampleValue) =>
      takeMedian(results, { model, network, contender, visit }, value);
    const others = Object.keys(results.versions).filter((name) => name !== CLOCHE);
    const minimum = (value: SampleValue) =>
      Math.min(...others.flatMap((name) => get(name, value) ?? []));
    const ratio = (ours: number | undefined, theirs: number | undefined) =>
      ours === undefined || theirs === undefined || !Number.isFinite(theirs)
        ? '–'
        : (ours / theirs).toFixed(2);
    const first3d = get(CLOCHE, 'first3dMs');
    return [
      [
        model,
        getNetworkLabel(network),
        visit,
        ratio(get(CLOCHE, 'recognizableMs'), first3d),
        ratio(first3d, get(MODEL_VIEWER, 'first3dMs')),
        ratio(first3d, minimum('first3dMs')),
        ratio(get(CLOCHE, 'fullMs'), minimum('fullMs')),
        ratio(get(CLOCHE, 'blockingMs'), minimum('blockingMs')),
        ratio(get(CLOCHE, 'addedMemoryBytes'), get(MODEL_VIEWER, 'addedMemoryBytes')),
      ],
    ];
  });
  return `### Ratios

Cloche’s value divided by that of another viewer: below 1, Cloche is better.

${renderTable(
  [
    ...['model', 'network', 'visit', 'poster : own first 3D', 'first 3D : model-viewer'],
    ...[
      'first 3D : fastest other',
      'full : fastest other',
      'blocking : shortest other',
      'memory : model-viewer',
    ],
  ],
  rows,
)}`;
}

function listKeys({ samples }: Results) {
  const ours = samples.filter(
    ({ contender, error }) => contender === CLOCHE && error === undefined,
  );
  return [...Map.groupBy(ours, toKey).values()].flatMap(([sample]) => sample ?? []);
}

function renderRows(results: Results, network: string, visit: 'cold' | 'warm'): string[][] {
  return results.models.flatMap(({ name: model }) =>
    Object.keys(results.versions).flatMap((contender) => {
      const key = { model, network, contender, visit };
      const values = COLUMNS.map(({ value, unit }) => {
        const median = takeMedian(results, key, value);
        return median === undefined ? '–' : String(Math.round(median / unit));
      });
      const failed = results.samples.some(
        (sample) => sample.error !== undefined && toKey(sample) === toKey({ ...key }),
      );
      if (values.every((value) => value === '–'))
        return failed ? [[model, `${contender}: failed`, ...values]] : [];
      return [[model, contender, ...values]];
    }),
  );
}

function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [toLine(header), toLine(header.map(() => '---')), ...rows.map(toLine)].join('\n');
}

const formatKilobytes = (bytes: number) => (bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0);
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const RESULTS_SECTION = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/;

/** Replaces the results in a document, which are between two comments. */
export function replaceResults(document: string, tables: string): string {
  if (!RESULTS_SECTION.test(document)) throw new Error('The document has no place for results.');
  return document.replace(
    RESULTS_SECTION,
    (_, start: string, end: string) => `${start}\n${tables}\n${end}`,
  );
}
