import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { AFTER_NPM_TEST } from '../../scripts/optional-programs.ts';
import { GATE_CASES } from './cases/all-cases.ts';
import { checkGateTable } from './check-gate-table.ts';
import { toCaseId } from './gate-case.ts';
import type { GateEngine } from './gate-engine.ts';
import { GateWorld } from './gate-world.ts';
import { runMatrix } from './run-matrix.ts';

/**
 * Runs all cases in a browser, or those of some groups, and compares the results with docs/security.md. To run some of them, without that:
 * `CLOCHE_GATE_CASES=Sandbox`, a part of the names.
 */
export async function testGate(
  t: TestContext,
  openEngine: (t: TestContext, world: GateWorld) => Promise<GateEngine>,
  groups?: readonly string[],
): Promise<void> {
  const world = await GateWorld.open(t);
  const engine = await openEngine(t, world);
  const { CLOCHE_GATE_CASES: pattern } = process.env;
  const cases = GATE_CASES.filter(
    (gateCase) =>
      (groups?.includes(gateCase.group) ?? true) &&
      new RegExp(pattern ?? '').test(toCaseId(gateCase)),
  );
  const hasControls = process.env[AFTER_NPM_TEST] === undefined;
  const { outcomes, failures } = await runMatrix(cases, { engine, world, hasControls });
  assert.equal(failures.length, 0, `\n${failures.join('\n')}`);
  if (pattern !== undefined) return;
  await checkGateTable({ name: engine.name, version: engine.version, outcomes });
}
