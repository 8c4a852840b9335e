import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { findProgram } from '../../../scripts/optional-programs.ts';
import {
  ATTACK_COLUMNS,
  type AttackColumn,
  type AttackResults,
  listCertainAttacks,
  listRows,
  readPossibleRows,
  replaceAttackTable,
  TABLE_ATTACKS,
} from '../../testing/attack-table.ts';
import { runAttack } from '../../testing/run-attack.ts';
import {
  readReport,
  runIsolatedAttacks,
  type ServiceOptions,
} from '../../testing/run-isolated-attacks.ts';
import { skipWithoutStrict } from '../../testing/skip-without-strict.ts';
import { WORKER_ATTACKS } from '../../testing/worker-attacks.ts';
import { PROBE_COMMAND } from './node-permissions.ts';
import type { SandboxReport } from './sandbox-report.ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/security.md');
/** Writes the table in DOCUMENT, where all columns can be tested: as root, with bubblewrap. */
const WRITES_TABLE = process.env.WRITE_ATTACK_TABLE === '1';
const NO_NETWORK = 'network: native code can open connections';
const isRoot = process.getuid?.() === 0;
const skipStrict = await skipWithoutStrict();

/** The user and group `nobody`. */
const ORDINARY_USER_ID = 65_534;

describe('JavaScript of an exploited library that runs in a worker', { concurrency: 2 }, () => {
  for (const attack of WORKER_ATTACKS) {
    it(`cannot harm the service: ${attack.name} (${attack.effect})`, async (t) => {
      assert.deepEqual(await runAttack(t, attack, 'unrestricted'), [attack.effect]);
      assert.deepEqual(await runAttack(t, attack, 'restricted'), []);
    });
  }
});

type Level = {
  column: Exclude<AttackColumn, 'javascript'>;
  options: ServiceOptions;
  skip: string | false;
};

const levels: Level[] = [
  { column: 'strict', options: { level: 'strict' }, skip: skipStrict },
  { column: 'reducedAsRoot', options: { level: 'reduced' }, skip: !isRoot && 'not root' },
  {
    column: 'reducedAsUser',
    options: { level: 'reduced', ...(isRoot && { userId: ORDINARY_USER_ID }) },
    skip: !canOrdinaryUserReadCode() && 'an ordinary user cannot read the code',
  },
  {
    column: 'reducedWithoutNamespaces',
    options: { level: 'auto', startedBy: refuseNamespaces() },
    skip: skipStrict,
  },
];

describe('native code in a worker does what docs/security.md says, and no more', {
  concurrency: true,
}, () => {
  const results: Partial<AttackResults> = { javascript: [] };
  const document = readFileSync(DOCUMENT, 'utf8');
  for (const { column, options, skip } of levels) {
    it(ATTACK_COLUMNS[column], { skip }, async (t) => {
      if (!isLevelOf(column, await readReport(t, options)))
        return t.skip('unshare -n does not work here');
      const expected = WRITES_TABLE ? [] : readPossibleRows(document, column);
      const successful = await runAllAttacks(t, options, expected);
      results[column] = successful;
      if (!WRITES_TABLE) assert.deepEqual(listRows(successful), expected);
    });
  }

  it(ATTACK_COLUMNS.javascript, () => {
    if (!WRITES_TABLE) assert.deepEqual(readPossibleRows(document, 'javascript'), []);
  });

  after(() => {
    if (WRITES_TABLE)
      writeFileSync(DOCUMENT, replaceAttackTable(document, results as AttackResults));
  });
});

/** Asserts that the service has chosen the level. Returns whether it has the network that the column is about. */
function isLevelOf(column: Level['column'], { level, missing, reason }: SandboxReport): boolean {
  assert.equal(level, column === 'strict' ? 'strict' : 'reduced');
  if (column !== 'reducedWithoutNamespaces') return !missing.includes(NO_NETWORK);
  assert.match(reason ?? '', /^bubblewrap does not work: /);
  assert.ok(missing.includes(NO_NETWORK), missing.join());
  return true;
}

/** Returns the names of the attacks that succeeded. */
async function runAllAttacks(
  t: TestContext,
  options: ServiceOptions,
  expectedRows: readonly string[],
): Promise<string[]> {
  const certain = new Set(listCertainAttacks(expectedRows));
  const half = Math.ceil(TABLE_ATTACKS.length / 2);
  const successful = await Promise.all(
    [TABLE_ATTACKS.slice(0, half), TABLE_ATTACKS.slice(half)].map((attacks) =>
      runIsolatedAttacks(t, attacks, options, certain),
    ),
  );
  return successful.flat();
}

function canOrdinaryUserReadCode(): boolean {
  if (!isRoot) return true;
  const [program = '', ...args] = PROBE_COMMAND;
  const user = { uid: ORDINARY_USER_ID, gid: ORDINARY_USER_ID };
  return spawnSync(program, args, { ...user, cwd: '/' }).status === 0;
}

/** The command that starts a program as in a default container: as an ordinary user, without more namespaces. */
function refuseNamespaces(): string[] {
  const user = ['--unshare-user', '--disable-userns', '--uid', '1000', '--gid', '1000'];
  return [findProgram('bwrap') ?? '', '--dev-bind', '/', '/', '--die-with-parent', ...user];
}
