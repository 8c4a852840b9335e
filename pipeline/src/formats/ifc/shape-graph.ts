import { assertWithinLimit } from '../../validation/budgets.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import type { EntityVisitor } from '../../validation/step-file.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { CURVE_KEYWORDS, CurveGraph } from './curve-graph.ts';
import { OUTLINE_KEYWORDS, OutlineGraph } from './outline-graph.ts';
import { PRODUCT_KEYWORDS } from './product-keywords.ts';

const BOOLEAN_KEYWORDS = ['IFCBOOLEANRESULT', 'IFCBOOLEANCLIPPINGRESULT'];
const PRODUCT_SHAPE = 'IFCPRODUCTDEFINITIONSHAPE';
const VOIDS_RELATION = 'IFCRELVOIDSELEMENT';
/** Which references of an entity are shapes, by its keyword. The others are contexts and placements. */
const SHAPE_REFERENCES: { readonly [keyword: string]: readonly [start: number, end?: number] } = {
  [PRODUCT_SHAPE]: [0],
  IFCSHAPEREPRESENTATION: [1],
  IFCREPRESENTATIONMAP: [1],
  IFCMAPPEDITEM: [0, 1],
  IFCCSGSOLID: [0, 1],
  IFCBOOLEANRESULT: [0],
  IFCBOOLEANCLIPPINGRESULT: [0],
};

/** What an entity expands to. */
type ExpandedSize = {
  /** Shapes that are not made of others. */
  shapes: number;
  /** The sizes of the results of all boolean operations, in shapes: none is reused. */
  combinations: number;
  /** How many bytes of triangles take as long as the outlines with many corners. */
  outlineBytes: number;
};

type ShapeEntity = {
  isBoolean: boolean;
  parts: readonly number[];
  /** Contexts and placements. Without them, which the library accepts, the first shapes are in their place. */
  others: readonly number[];
};

/** An entity that is being measured, and the index of its next part. */
type OpenEntity = ShapeEntity & { id: number; next: number };

const SINGLE_SHAPE: ExpandedSize = { shapes: 1, combinations: 0, outlineBytes: 0 };
const NO_SHAPE: ExpandedSize = { shapes: 0, combinations: 0, outlineBytes: 0 };

/**
 * The shapes of an IFC and what they consist of. The library evaluates a part again for each reference to it:
 * a file of 3 kB, in which each of 24 boolean operations combines the one before with itself, would take
 * 16 million operations.
 */
export class ShapeGraph implements EntityVisitor {
  readonly keywords = [
    ...[...Object.keys(SHAPE_REFERENCES), VOIDS_RELATION, ...CURVE_KEYWORDS],
    ...[...OUTLINE_KEYWORDS, ...PRODUCT_KEYWORDS],
  ];
  readonly #curves = new CurveGraph();
  readonly #limits: ValidationLimits;
  readonly #entities = new Map<number, ShapeEntity>();
  readonly #productShapeIds: number[] = [];
  /** What the products refer to: contexts, placements, and usually one product shape. */
  readonly #productReferences: number[] = [];
  readonly #outlines = new OutlineGraph();
  /** The number of openings of each element. */
  readonly #openings = new Map<number, number>();

  constructor(limits: ValidationLimits) {
    this.#limits = limits;
  }

  visit(keyword: string, id: number, references: readonly number[], valueCount: number): void {
    if (OUTLINE_KEYWORDS.includes(keyword))
      this.#outlines.visit(keyword, id, references, valueCount);
    else if (keyword === VOIDS_RELATION) {
      const elementId = references.at(-2) ?? -1;
      this.#openings.set(elementId, (this.#openings.get(elementId) ?? 0) + 1);
    } else if (CURVE_KEYWORDS.includes(keyword)) this.#curves.visit(keyword, id, references);
    else if (SHAPE_REFERENCES[keyword] !== undefined) this.#addShape(keyword, id, references);
    else for (const reference of references) this.#productReferences.push(reference);
  }

  #addShape(keyword: string, id: number, references: readonly number[]): void {
    const [start, end] = SHAPE_REFERENCES[keyword] ?? [0];
    this.#entities.set(id, {
      isBoolean: BOOLEAN_KEYWORDS.includes(keyword),
      parts: references.slice(start, end),
      others: references.slice(0, start),
    });
    if (keyword === PRODUCT_SHAPE) this.#productShapeIds.push(id);
  }

  /**
   * Computes what all products expand to. Each is limited.
   *
   * @throws {Problem} design.unreadable: a shape contains itself; design.too-complex
   */
  measure(): ExpandedSize {
    const curveBytes = this.#curves.measure(this.#limits);
    const total: ExpandedSize = { ...NO_SHAPE };
    const sizes = new Map<number, ExpandedSize>();
    for (const [id, outlineBytes] of this.#outlines.resolve())
      if (!this.#entities.has(id)) sizes.set(id, { ...SINGLE_SHAPE, outlineBytes });
    for (const id of this.#listRoots()) {
      addSize(total, this.#measureEntity(id, sizes));
      assertWithinLimit('shapes', total.shapes, this.#limits);
    }
    // Openings are subtracted one after the other, from a result that grows with each.
    for (const count of this.#openings.values())
      addSize(total, { ...NO_SHAPE, shapes: count, combinations: (count * (count + 1)) / 2 });
    // Outlines that are not used in a way that we count are counted once.
    const outlineBytes = Math.max(total.outlineBytes, this.#outlines.totalBytes) + curveBytes;
    return { ...total, outlineBytes };
  }

  /**
   * Lists what the library starts with: the shape of each product. Products can share it, and some refer to a
   * representation or to a shape itself, which the library accepts.
   */
  *#listRoots(): Generator<number> {
    const used = new Set<number>();
    for (const id of this.#productReferences) {
      if (!this.#entities.has(id)) continue;
      used.add(id);
      yield id;
    }
    for (const id of this.#productShapeIds) if (!used.has(id)) yield id;
  }

  /** Visits the parts depth first, without recursion, because a chain may be as long as the file. */
  #measureEntity(rootId: number, sizes: Map<number, ExpandedSize>): ExpandedSize {
    const path: OpenEntity[] = [];
    const openIds = new Set<number>();
    const enter = (id: number) => {
      const entity = this.#entities.get(id);
      if (entity === undefined || sizes.has(id)) return;
      if (openIds.has(id)) throwUnreadable('cycle', `The shape #${id} of the IFC contains itself`);
      openIds.add(id);
      path.push({ id, ...entity, next: 0 });
    };
    enter(rootId);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const part = top.parts[top.next] ?? top.others[top.next - top.parts.length];
      top.next++;
      if (part !== undefined) enter(part);
      else {
        sizes.set(top.id, this.#sumParts(top, sizes));
        openIds.delete(top.id);
        path.pop();
      }
    }
    return sizes.get(rootId) ?? SINGLE_SHAPE;
  }

  #sumParts(
    { isBoolean, parts, others }: ShapeEntity,
    sizes: Map<number, ExpandedSize>,
  ): ExpandedSize {
    const size: ExpandedSize = { ...NO_SHAPE };
    for (const part of parts) addSize(size, sizes.get(part) ?? SINGLE_SHAPE);
    for (const other of others) addSize(size, sizes.get(other) ?? NO_SHAPE);
    if (isBoolean) size.combinations += size.shapes;
    assertWithinLimit('shapes', size.shapes, this.#limits);
    assertWithinLimit('combinations', size.combinations, this.#limits);
    return size;
  }
}

function addSize(size: ExpandedSize, part: ExpandedSize): void {
  size.shapes += part.shapes;
  size.combinations += part.combinations;
  size.outlineBytes += part.outlineBytes;
}
