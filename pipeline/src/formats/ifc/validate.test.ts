import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeIfc } from '../../../testing/formats/ifc.ts';
import {
  chainBooleans,
  nestBooleans,
  nestCurves,
  nestMappedItems,
  withIfcShape,
} from '../../../testing/hostile/ifc-shapes.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { VALIDATION_LIMITS } from '../../validation/limits.ts';
import { validateModel } from '../validate-model.ts';
import { ShapeGraph } from './shape-graph.ts';

const validate = (bytes: Buffer) => validateModel(createBufferReader(bytes));

/** Counts what a product consists of, given the entities of its shape. */
function measure(entities: readonly [keyword: string, id: number, ...references: number[]][]) {
  const graph = new ShapeGraph(VALIDATION_LIMITS);
  for (const [keyword, id, ...references] of entities) graph.visit(keyword, id, references, 1);
  const { shapes, combinations } = graph.measure();
  return { shapes, combinations };
}

describe('the shapes of an IFC', () => {
  const product = (shape: number) => ['IFCPRODUCTDEFINITIONSHAPE', 1, shape] as const;
  const union = (id: number, a: number, b: number) => ['IFCBOOLEANRESULT', id, a, b] as const;
  const cases: [
    name: string,
    entities: Parameters<typeof measure>[0],
    shapes: number,
    combinations: number,
  ][] = [
    ['one shape', [[...product(9)]], 1, 0],
    ['a union of two', [[...product(2)], [...union(2, 8, 9)]], 2, 2],
    [
      'a union with itself, twice',
      [[...product(2)], [...union(2, 3, 3)], [...union(3, 9, 9)]],
      4,
      8,
    ],
    [
      'a chain of three',
      [[...product(2)], [...union(2, 3, 9)], [...union(3, 4, 9)], [...union(4, 9, 9)]],
      4,
      9,
    ],
    ['a product before its parts', [[...union(3, 9, 9)], [...product(3)]], 2, 2],
    ['a context is no shape', [[...product(2)], ['IFCSHAPEREPRESENTATION', 2, 7, 8, 9]], 2, 0],
    [
      'a mapped item twice',
      [
        [...product(2)],
        ['IFCSHAPEREPRESENTATION', 2, 7, 3, 3],
        ['IFCMAPPEDITEM', 3, 4, 6],
        ['IFCREPRESENTATIONMAP', 4, 6, 5],
        [...union(5, 9, 9)],
      ],
      4,
      4,
    ],
    [
      'three openings of a wall',
      [
        ['IFCRELVOIDSELEMENT', 2, 7, 50, 8],
        ['IFCRELVOIDSELEMENT', 3, 50, 9],
        ['IFCRELVOIDSELEMENT', 4, 50, 9],
      ],
      3,
      6,
    ],
    ['booleans that no product has', [[...union(2, 2, 2)]], 0, 0],
    [
      'a product, by its shape',
      [['IFCWALL', 5, 7, 8, 1], [...product(2)], [...union(2, 8, 9)]],
      2,
      2,
    ],
    [
      'two products with the same shape',
      [['IFCWALL', 5, 7, 8, 1], ['IFCDOOR', 6, 7, 8, 1], [...product(2)], [...union(2, 8, 9)]],
      4,
      4,
    ],
    [
      'a product that refers to its representation',
      [['IFCWALL', 5, 7, 8, 2], ['IFCSHAPEREPRESENTATION', 2, 7, 3], [...union(3, 9, 9)]],
      2,
      2,
    ],
    ['a product that refers to a boolean', [['IFCWALL', 5, 7, 8, 3], [...union(3, 9, 9)]], 2, 2],
  ];
  for (const [name, entities, shapes, combinations] of cases) {
    it(`are counted: ${name}`, () => {
      assert.deepEqual(measure(entities), { shapes, combinations });
    });
  }

  it('refuses a shape that contains itself', () => {
    const cycle: Parameters<typeof measure>[0] = [
      [...product(2)],
      [...union(2, 3, 9)],
      [...union(3, 2, 9)],
    ];
    assert.throws(() => measure(cycle), { code: 'design.unreadable', reason: 'cycle' });
  });
});

/** The library reads such a shape. */
function withoutContext(ifc: Buffer): Buffer {
  return Buffer.from(
    ifc
      .toString()
      .replace("IFCSHAPEREPRESENTATION(#20,'Body','CSG'", "IFCSHAPEREPRESENTATION($,'Body','CSG'"),
  );
}

/** The wall refers to its representation, which the library reads. */
function withoutProductShape(ifc: Buffer): Buffer {
  const wall = /(IFCWALL\(.*,)#(\d+)(,[^,]*,[^,]*\);)/;
  const text = ifc.toString();
  const shapeId = wall.exec(text)?.[2];
  const productShape = new RegExp(`#${shapeId}=IFCPRODUCTDEFINITIONSHAPE\\(.*\\(#(\\d+)\\)\\);`);
  const representationId = productShape.exec(text)?.[1];
  assert.ok(representationId);
  return Buffer.from(text.replace(wall, `$1#${representationId}$3`).replace(productShape, ''));
}

describe('an IFC of a few kilobytes', () => {
  const refused: [name: string, make: () => Buffer, reason: string][] = [
    ['24 booleans, each of the one before with itself', () => nestBooleans(24), 'combinations'],
    ['2000 booleans, each of the one before with itself', () => nestBooleans(2000), 'combinations'],
    [
      'booleans in a shape without a context',
      () => withoutContext(nestBooleans(24)),
      'combinations',
    ],
    [
      'booleans of a product without a product shape',
      () => withoutProductShape(nestBooleans(24)),
      'combinations',
    ],
    ['a chain of a thousand booleans', () => chainBooleans(1000), 'combinations'],
    ['24 mapped items, each with the one before twice', () => nestMappedItems(24), 'shapes'],
    ['10 curves, each of the one before twice', () => nestCurves(10), 'curve-segments'],
    ['40 curves, each of the one before twice', () => nestCurves(40), 'curve-segments'],
  ];
  for (const [name, make, reason] of refused) {
    it(`is refused: ${name}`, async () => {
      await assert.rejects(validate(make()), { code: 'design.too-complex', reason });
    });
  }

  it('is accepted with few booleans, and its time limit grows with them', async () => {
    const plain = (await validate(makeIfc())).decodedBytes;
    const few = (await validate(chainBooleans(10))).decodedBytes;
    const many = (await validate(chainBooleans(300))).decodedBytes;
    assert.ok(plain < 100_000 && few > plain && many > 100e6, `${plain}, ${few}, ${many}`);
  });

  it('counts curves in curves for its time limit', async () => {
    const few = (await validate(nestCurves(2))).decodedBytes;
    const many = (await validate(nestCurves(7))).decodedBytes;
    assert.ok(few < 100_000 && many > 2e6, `${few}, ${many}`);
  });

  it('is read with comments, line breaks and lower-case strings between the references', async () => {
    const shape =
      "#200 = IFCBOOLEANRESULT( .UNION. , #56 , /* #999 */\n #56 ) ;\n#201=IFCLABEL('#1=IFCBOOLEANRESULT(');\n";
    const { decodedBytes } = await validate(withIfcShape(shape, 200));
    const without = await validate(withIfcShape(shape, 56));
    assert.equal(decodedBytes - without.decodedBytes - 20, 3 * 4096);
  });
});
