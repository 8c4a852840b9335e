import { assertWithinLimit } from './budgets.ts';
import type { ValidationLimits } from './limits.ts';

// Measured in November 2026, with polygons of 1000 to 8000 corners: stars, circles, spirals, and curves that cross
// themselves. The worst are spirals. With 4000 corners, earcut takes 0.4 s, assimp 6 to 13 s. A megabyte of triangles
// takes 0.1 s.
const BYTES_PER_SQUARED_CORNER = 0.25;
const BYTES_PER_CUBED_CORNER = 0.001;

/** Who triangulates a polygon: earcut, also in web-ifc, takes quadratic time for some shapes, assimp cubic time. */
export type Triangulator = 'earcut' | 'assimp';

/** Returns how many bytes of triangles take as long as the triangulation of a polygon, in the worst case. */
export function getTriangulationBytes(cornerCount: number, triangulator: Triangulator): number {
  if (cornerCount <= 3) return 0;
  return triangulator === 'earcut'
    ? BYTES_PER_SQUARED_CORNER * cornerCount ** 2
    : BYTES_PER_CUBED_CORNER * cornerCount ** 3;
}

/** Counts the polygons of a file. */
export class PolygonCounter {
  readonly #limits: ValidationLimits;
  readonly #triangulator: Triangulator;
  /** See getTriangulationBytes. */
  triangulationBytes = 0;
  triangleCount = 0;

  constructor(limits: ValidationLimits, triangulator: Triangulator) {
    this.#limits = limits;
    this.#triangulator = triangulator;
  }

  /** @throws {Problem} design.too-complex */
  add(cornerCount: number): void {
    if (cornerCount < 3) return;
    assertWithinLimit('polygonCorners', cornerCount, this.#limits);
    this.triangulationBytes += getTriangulationBytes(cornerCount, this.#triangulator);
    this.addTriangles(cornerCount - 2);
  }

  /** Adds triangles that need no triangulation. @throws {Problem} design.too-complex */
  addTriangles(count: number): void {
    this.triangleCount += count;
    assertWithinLimit('triangles', this.triangleCount, this.#limits);
  }
}
