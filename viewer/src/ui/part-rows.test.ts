import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PartNode } from '@cloche/contract/message';
import {
  getChecked,
  listPartRows,
  listParts,
  type PartRow,
  selectInitiallyExpanded,
} from './part-rows.ts';

let nextId = 0;
function createPart(name: string, children: PartNode[] = [], visible = true): PartNode {
  return { id: nextId++, name, visible, triangles: 12, children };
}

const seat = createPart('Seat', [createPart('Cushion'), createPart('Frame', [], false)]);
const legs = createPart('Legs', [createPart('Left leg'), createPart('Right leg')]);
const chair = createPart('Chair', [seat, legs]);

/** Each row as its level, its name, and its place among its siblings. */
function describeRows(rows: readonly PartRow[]): string[] {
  return rows.map(
    ({ level, part, position, setSize }) => `${level} ${part.name} ${position}/${setSize}`,
  );
}

describe('listPartRows', () => {
  it('lists the parts of expanded parts, in the order of the tree', () => {
    const rows = listPartRows([chair], { expanded: new Set([chair.id, legs.id]) });
    assert.deepEqual(describeRows(rows), [
      '1 Chair 1/1',
      '2 Seat 1/2',
      '2 Legs 2/2',
      '3 Left leg 1/2',
      '3 Right leg 2/2',
    ]);
    assert.deepEqual(
      rows.map(({ expanded }) => expanded),
      [true, false, true, undefined, undefined],
    );
    assert.equal(rows[3]?.parent, rows[2]);
  });

  it('a search lists the matching parts and the parts around them, in any case', () => {
    const rows = listPartRows([chair], { expanded: new Set(), query: ' LEFT ' });
    assert.deepEqual(describeRows(rows), ['1 Chair 1/1', '2 Legs 1/1', '3 Left leg 1/1']);
    assert.deepEqual(listPartRows([chair], { expanded: new Set(), query: 'wheel' }), []);
  });

  it('lists a hundred thousand parts, wide or deep, without recursion', () => {
    const wide = createPart(
      'Wide',
      Array.from({ length: 100_000 }, () => createPart('Screw')),
    );
    assert.equal(listPartRows([wide], { expanded: new Set([wide.id]) }).length, 100_001);
    let deep = createPart('Deepest');
    for (let level = 0; level < 100_000; level++) deep = createPart('Deep', [deep]);
    const expanded = new Set(listParts([deep]).map(({ id }) => id));
    assert.equal(listPartRows([deep], { expanded }).length, 100_001);
    assert.equal(listPartRows([deep], { expanded, query: 'deepest' }).length, 100_001);
  });
});

describe('getChecked', () => {
  it('is mixed if some parts in it are hidden', () => {
    assert.equal(getChecked(chair), 'mixed');
    assert.equal(getChecked(seat), 'mixed');
    assert.equal(getChecked(legs), 'true');
  });

  it('is false if the part or all parts in it are hidden', () => {
    assert.equal(getChecked(createPart('A', [createPart('B')], false)), 'false');
    assert.equal(getChecked(createPart('A', [createPart('B', [], false)])), 'false');
  });
});

describe('selectInitiallyExpanded', () => {
  it('expands whole levels while few rows are shown', () => {
    assert.deepEqual(
      [...selectInitiallyExpanded([chair])],
      [
        chair.id,
        ...[seat, legs].map(({ id }) => id),
        ...[...seat.children, ...legs.children].map(({ id }) => id),
      ],
    );
  });

  it('expands a single part at the top, and not many large ones', () => {
    const many = Array.from({ length: 10 }, () => createPart('A', [createPart('B')]));
    const top = createPart('Top', many);
    assert.deepEqual([...selectInitiallyExpanded([top])], [top.id]);
  });
});
