import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GATE_CASES } from './cases/all-cases.ts';
import { type EngineResult, updateGateTable } from './gate-table.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/security.md');

/** Asserts that docs/security.md has these results. With `CLOCHE_WRITE_GATE_TABLE`, writes them there. */
export async function checkGateTable(result: EngineResult): Promise<void> {
  const document = await readFile(DOCUMENT, 'utf8');
  const updated = updateGateTable(document, GATE_CASES, result);
  if (process.env.CLOCHE_WRITE_GATE_TABLE !== undefined) return writeFile(DOCUMENT, updated);
  assert.equal(
    updated,
    document,
    `docs/security.md differs from the results in ${result.name}. To write them: npx node scripts/write-gate-table.ts`,
  );
}
