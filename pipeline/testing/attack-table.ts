import assert from 'node:assert/strict';
import { WORKER_ATTACKS } from './worker-attacks.ts';

const START = '<!-- attack-table: start -->';
const END = '<!-- attack-table: end -->';
const [BLOCKED, POSSIBLE] = ['blocked', '**possible**'];

/** The columns of the table in docs/security.md, after the first. */
export const ATTACK_COLUMNS = {
  javascript: 'JavaScript, at every level',
  strict: 'native code, `strict`',
  reducedAsRoot: 'native code, `reduced`, as root',
  reducedAsUser: 'native code, `reduced`, as an ordinary user',
  reducedWithoutNamespaces: 'native code, `reduced`, namespaces refused',
} as const;

export type AttackColumn = keyof typeof ATTACK_COLUMNS;

/** The rows: what is attempted, and the names of the attacks that attempt it. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  'read secret files of the service': [
    'read with fs',
    'read with sharp',
    'read the folder of the service',
  ],
  'read files that the service has open': ['read inherited file descriptors'],
  'read the environment of the service': ['read /proc of the service'],
  'read secrets in the environment of the worker': ['read the environment'],
  'read the memory of the service': ['read the memory of the service'],
  'read `/etc/passwd`': ['read /etc/passwd'],
  'change the database': ['node:sqlite', 'node:sqlite by getBuiltinModule', 'delete the database'],
  'create files in the data directory': [
    'write with fs',
    'write with sharp',
    'write with sharp after unblock()',
    "write by V8's flags",
  ],
  'create an empty file in a directory of all users': ['create a file in a directory of all users'],
  'fill the disk with data': ['write to a file of all users'],
  'write native code to a file and load it': [
    'an addon in the out directory',
    'require() of an addon in the out directory',
  ],
  'end the service': [
    'process.kill',
    'process._kill',
    'kill, imported by name',
    'kill by a shell',
    'kill in a thread',
    'process.execve',
  ],
  'open the debugger of the service': ['SIGUSR1', '_debugProcess'],
  'lower the priority of the service': ['os.setPriority'],
  'see the processes of the machine': ['read /proc/PID/cmdline'],
  'start a shell': ['a shell'],
  'start 300 processes': ['300 processes'],
  'leave a process behind': ['a process in a session of its own'],
  'connect to a TCP port of the machine': [
    'net.connect',
    'the class of standard output',
    'fetch',
    'WebSocket',
    'http.get',
    'tls.connect',
  ],
  'send UDP packets and DNS queries': [
    'dgram',
    'dgram by require()',
    'dgram by Module._load',
    'dgram by getBuiltinModule',
    'dgram by a module hook',
    'dgram after prototypes were replaced',
    'dns',
  ],
  'connect to a Unix socket of the service': ['a Unix socket'],
  'connect to a Unix socket of all users': ['a Unix socket of all users'],
};

/** A debugger of the worker itself is no attack on the service. It is tried from restricted JavaScript only. */
const WITHOUT_ROW = ['inspector.open'];

/** The attacks of the table. */
export const TABLE_ATTACKS = WORKER_ATTACKS.filter(({ name }) => !WITHOUT_ROW.includes(name));

assert.deepEqual(Object.values(ROWS).flat().sort(), TABLE_ATTACKS.map(({ name }) => name).sort());

/** For each column, the names of the attacks that succeeded. */
export type AttackResults = Record<AttackColumn, readonly string[]>;

/** Returns the document with a new table. */
export function replaceAttackTable(document: string, results: AttackResults): string {
  const columns = Object.keys(ATTACK_COLUMNS) as AttackColumn[];
  const rows = Object.keys(ROWS).map((row) => [
    row,
    ...columns.map((column) => (listRows(results[column]).includes(row) ? POSSIBLE : BLOCKED)),
  ]);
  const header = ['Attack', ...Object.values(ATTACK_COLUMNS)];
  const lines = [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  const { before, after } = splitDocument(document);
  return [before, START, '\n\n', lines.join('\n'), '\n\n', END, after].join('');
}

/** Reads which rows have a successful attack, according to the document. */
export function readPossibleRows(document: string, column: AttackColumn): string[] {
  const index = Object.keys(ATTACK_COLUMNS).indexOf(column) + 1;
  const rows = splitDocument(document)
    .table.split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
  assert.deepEqual(rows[0], ['Attack', ...Object.values(ATTACK_COLUMNS)]);
  assert.deepEqual(
    rows.slice(2).map(([row]) => row),
    Object.keys(ROWS),
  );
  return rows.filter((row) => row[index] === POSSIBLE).map(([row]) => row as string);
}

/** Lists the attacks that certainly succeed if these rows have a successful attack: those without an alternative. */
export function listCertainAttacks(rows: readonly string[]): string[] {
  return rows.flatMap((row) => (ROWS[row]?.length === 1 ? ROWS[row] : []));
}

/** Lists the rows of the attacks. */
export function listRows(attacks: readonly string[]): string[] {
  return Object.entries(ROWS).flatMap(([row, names]) =>
    names.some((name) => attacks.includes(name)) ? [row] : [],
  );
}

function splitDocument(document: string): { before: string; table: string; after: string } {
  const [before = '', rest] = document.split(START);
  const [table, after] = (rest ?? '').split(END);
  assert.ok(table !== undefined && after !== undefined, `${START} or ${END} is missing`);
  return { before, table, after };
}
