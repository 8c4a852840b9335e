import {
  ENGINE_NAMES,
  type EngineName,
  type GateCase,
  type Outcome,
  toCaseId,
} from './gate-case.ts';

const START = '<!-- gate-table: start -->';
const END = '<!-- gate-table: end -->';
const NOT_RUN_YET = 'not run yet';

/** What an engine has done with the cases. */
export type EngineResult = {
  name: EngineName;
  version: string;
  outcomes: ReadonlyMap<GateCase, Outcome>;
};

/** The cells of the table: for each case, by engine; and the version of each engine. */
type GateTable = {
  versions: Map<string, string>;
  cells: Map<string, Map<string, string>>;
};

/** Returns the document with the results of an engine. What it says about other engines is kept. */
export function updateGateTable(
  document: string,
  cases: readonly GateCase[],
  { name, version, outcomes }: EngineResult,
): string {
  const [before = '', old = '', after = ''] = splitDocument(document);
  const { versions, cells } = parseTable(old);
  versions.set(name, version);
  for (const gateCase of cases) {
    const row = cells.get(toCaseId(gateCase)) ?? new Map<string, string>();
    for (const engine of ENGINE_NAMES) {
      const reason = gateCase.cannotRun?.[engine];
      if (reason !== undefined) row.set(engine, `not run: ${reason}`);
    }
    const outcome = outcomes.get(gateCase);
    if (outcome !== undefined) row.set(name, outcome);
    cells.set(toCaseId(gateCase), row);
  }
  return before + renderTable(cases, { versions, cells }) + after;
}

/** Lists the cases of the document with their cells, one line for each. */
export function listGateTable(document: string): string[] {
  const { cells } = parseTable(splitDocument(document)[1] ?? '');
  return [...cells].map(([id, row]) => `${id}: ${[...row.values()].join(', ')}`);
}

/** The document before, in and after the table. */
function splitDocument(document: string): string[] {
  const [before, rest] = document.split(`${START}\n`);
  const [table, after] = rest?.split(END) ?? [];
  if (before === undefined || table === undefined || after === undefined) {
    throw new Error('The document has no markers for the table.');
  }
  return [`${before}${START}\n`, table, END + after];
}

/** Parses what `renderTable` has written. */
function parseTable(text: string): GateTable {
  const versions = new Map<string, string>();
  const cells = new Map<string, Map<string, string>>();
  let group = '';
  for (const line of text.split('\n')) {
    group = /^### (.*)/.exec(line)?.[1] ?? group;
    for (const engine of ENGINE_NAMES) {
      const version = new RegExp(`\\b${engine} ([\\d.]+)`).exec(line)?.[1];
      if (version !== undefined && group === '') versions.set(engine, version);
    }
    const [, name, ...row] = line
      .split(' | ')
      .join('|')
      .split('|')
      .map((cell) => cell.trim());
    if (!name || name === 'Case' || name.startsWith('---')) continue;
    const id = `${group}: ${name.replaceAll('`', '')}`;
    cells.set(id, new Map(ENGINE_NAMES.map((engine, index) => [engine, row[index] ?? ''])));
  }
  return { versions, cells };
}

function renderTable(cases: readonly GateCase[], { versions, cells }: GateTable): string {
  const names = ENGINE_NAMES.map((engine) => `${engine} ${versions.get(engine) ?? ''}`.trim());
  const lines = [`The ${cases.length} cases in ${names.join(', ')}:`];
  for (const group of new Set(cases.map((gateCase) => gateCase.group))) {
    lines.push(
      '',
      `### ${group}`,
      '',
      `| Case | ${ENGINE_NAMES.join(' | ')} |`,
      '|---|---|---|---|',
    );
    for (const gateCase of cases) {
      if (gateCase.group !== group) continue;
      const row = cells.get(toCaseId(gateCase));
      const outcomes = ENGINE_NAMES.map((engine) => row?.get(engine) || NOT_RUN_YET);
      lines.push(`| ${[formatName(gateCase.name), ...outcomes].join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Elements are code: `<object>` would be HTML. */
function formatName(name: string): string {
  return name.replace(/<[^>]+>|\b[a-z-]+="[^"]*"/g, '`$&`');
}
