import { getTriangulationBytes } from '../../validation/triangulation-cost.ts';

/** Outlines, and how many values each of their corners has. */
const OUTLINE_VALUES: { readonly [keyword: string]: number } = {
  IFCPOLYLINE: 1,
  IFCPOLYLOOP: 1,
  IFCINDEXEDPOLYGONALFACE: 1,
  IFCINDEXEDPOLYGONALFACEWITHVOIDS: 1,
  IFCCARTESIANPOINTLIST2D: 2,
};
/** What is between an outline and the solid with this cross section: curves, profiles and solids. */
const USERS: readonly string[] = [
  'IFCINDEXEDPOLYCURVE',
  'IFCARBITRARYCLOSEDPROFILEDEF',
  'IFCARBITRARYPROFILEDEFWITHVOIDS',
  'IFCEXTRUDEDAREASOLID',
  'IFCEXTRUDEDAREASOLIDTAPERED',
  'IFCREVOLVEDAREASOLID',
  'IFCREVOLVEDAREASOLIDTAPERED',
  'IFCFIXEDREFERENCESWEPTAREASOLID',
  'IFCSURFACECURVESWEPTAREASOLID',
];
/** The time for others is less than that for the rest of a shape. */
const MIN_CORNERS = 64;

export const OUTLINE_KEYWORDS: readonly string[] = [...Object.keys(OUTLINE_VALUES), ...USERS];

/** The outlines of an IFC with many corners, and what uses them. The library triangulates one for each use. */
export class OutlineGraph {
  /** See getTriangulationBytes. By the id of an outline and, after `resolve`, of all that uses it. */
  readonly #bytes = new Map<number, number>();
  /** Pairs: the id of an entity, and of an outline, a curve or a profile that it may use. By the order of USERS. */
  readonly #references: number[][] = USERS.map(() => []);
  /** Of all outlines, each counted once. */
  totalBytes = 0;

  visit(keyword: string, id: number, references: readonly number[], valueCount: number): void {
    const cornerCount = valueCount / (OUTLINE_VALUES[keyword] ?? Number.POSITIVE_INFINITY);
    if (cornerCount >= MIN_CORNERS) {
      const bytes = getTriangulationBytes(cornerCount, 'earcut');
      this.totalBytes += bytes;
      this.#bytes.set(id, bytes);
    }
    const pairs = this.#references[USERS.indexOf(keyword)];
    for (const reference of pairs ? references : []) pairs?.push(id, reference);
  }

  /** Returns what the solids with large outlines cost, by their ids. */
  resolve(): ReadonlyMap<number, number> {
    // A user is after what it uses, because curves are before profiles and profiles before solids.
    for (const pairs of this.#bytes.size > 0 ? this.#references : []) {
      for (let index = 0; index < pairs.length; index += 2) {
        const [id = 0, reference = 0] = [pairs[index], pairs[index + 1]];
        const bytes = this.#bytes.get(reference);
        if (bytes !== undefined) this.#bytes.set(id, (this.#bytes.get(id) ?? 0) + bytes);
      }
    }
    return this.#bytes;
  }
}
