import { assertWithinLimit } from '../../validation/budgets.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';

const SEGMENT = 'IFCCOMPOSITECURVESEGMENT';
/** By `npm run bench:processing-time`. The time of a curve grows faster than its segments. */
const BYTES_PER_SEGMENT_OF_SEGMENT = 128;

export const CURVE_KEYWORDS: readonly string[] = [SEGMENT, 'IFCCOMPOSITECURVE'];

/**
 * The composite curves of an IFC. The library copies the points of a curve for each reference to it, and twice as many
 * points take it ten times as long.
 */
export class CurveGraph {
  readonly #curves = new Map<string, string[]>();
  /** The curve of each segment. */
  readonly #segments = new Map<string, string>();

  visit(keyword: string, id: number, references: readonly number[]): void {
    if (keyword === SEGMENT) this.#segments.set(`${id}`, `${references.at(-1)}`);
    else this.#curves.set(`${id}`, references.map(String));
  }

  /**
   * Limits the segments of curves in curves. A curve without other composite curves is as long as its text. Returns how
   * many bytes of triangles take as long as these curves.
   *
   * @throws {Problem} design.unreadable: a curve contains itself; design.too-complex
   */
  measure(limits: ValidationLimits): number {
    const parts = new Map<string, ReferenceNode>();
    for (const [id, references] of this.#curves) parts.set(id, { triangleCount: 0, references });
    for (const [id, curve] of this.#segments) {
      const isNested = this.#curves.has(curve);
      parts.set(id, { triangleCount: isNested ? 1 : 0, references: isNested ? [curve] : [] });
    }
    // They are no nodes and triangles.
    const [nodes, triangles] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const expansionLimits = { ...limits, nodes, triangles };
    const { largest, triangleCount } = validateReferences(
      parts,
      this.#curves.keys(),
      expansionLimits,
    );
    assertWithinLimit('curveSegments', largest, limits);
    return BYTES_PER_SEGMENT_OF_SEGMENT * largest * triangleCount;
  }
}
