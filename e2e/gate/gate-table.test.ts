import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GATE_CASES } from './cases/all-cases.ts';
import { GROUPS_IN_CHROMIUM } from './chromium-groups.ts';
import { createCase, createGroup, LISTED, toCaseId } from './gate-case.ts';
import { listGateTable, updateGateTable } from './gate-table.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');
const EMPTY = 'before\n<!-- gate-table: start -->\n<!-- gate-table: end -->\nafter\n';

describe('the table of the gate tests', () => {
  it('has all cases, each with an outcome or a reason for each browser', () => {
    const rows = listGateTable(DOCUMENT);
    const ids = rows.map((row) =>
      GATE_CASES.find((gateCase) => row.startsWith(`${toCaseId(gateCase)}: `)),
    );
    assert.equal(new Set(ids).size, GATE_CASES.length);
    assert.equal(rows.length, GATE_CASES.length);
    assert.deepEqual(
      rows.filter((row) => !/: ((shown|poster|message|denied|not run: [^,|]+)(, |$)){3}/.test(row)),
      [],
    );
  });

  it('has at least 160 cases that run in Chromium, each with its own name', () => {
    const ids = GATE_CASES.filter(({ cannotRun }) => cannotRun?.Chromium === undefined).map(
      toCaseId,
    );
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.length >= 160, `${ids.length}`);
  });

  it('has only groups that one test file runs in Chromium', () => {
    const groups = new Set(GATE_CASES.map(({ group }) => group));
    assert.deepEqual(GROUPS_IN_CHROMIUM.toSorted(), [...groups].toSorted());
  });

  it('keeps the results of other browsers, and removes old cases', () => {
    const cases = createGroup('Framing', [
      createCase('<object>, listed page', LISTED, 'denied', () => ''),
      createCase('iframe', LISTED, 'shown', () => '', { cannotRun: { WebKit: 'no such element' } }),
    ]);
    const [object, iframe] = cases;
    assert.ok(object && iframe);
    const first = updateGateTable(EMPTY, cases, {
      name: 'Firefox',
      version: '153',
      outcomes: new Map([
        [object, 'denied'],
        [iframe, 'shown'],
      ]),
    });
    const second = updateGateTable(first, [iframe], {
      name: 'Chromium',
      version: '154',
      outcomes: new Map([[iframe, 'poster']]),
    });
    assert.match(first, /\| `<object>`, listed page \| not run yet \| denied \| not run yet \|/);
    assert.match(second, /\| iframe \| poster \| shown \| not run: no such element \|/);
    assert.match(second, /The 1 cases in Chromium 154, Firefox 153, WebKit:/);
    assert.doesNotMatch(second, /object/);
    assert.match(second, /^before\n[\s\S]*\nafter\n$/);
  });

  it('without a change, stays the same', () => {
    const cases = createGroup('Framing', [createCase('iframe', LISTED, 'shown', () => '')]);
    const [iframe] = cases;
    assert.ok(iframe);
    const result = {
      name: 'Chromium',
      version: '153',
      outcomes: new Map([[iframe, 'shown' as const]]),
    } as const;
    const once = updateGateTable(EMPTY, cases, result);
    assert.equal(updateGateTable(once, cases, result), once);
    assert.notEqual(updateGateTable(once, cases, { ...result, version: '154' }), once);
  });
});
