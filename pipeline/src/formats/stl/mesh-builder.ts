import { Problem } from '@cloche/contract/problem';
import { toVertexColors } from '../../mesh/color.ts';
import {
  createGrowableFloats,
  createGrowableIndices,
  VertexDeduplicator,
} from '../../mesh/growable-array.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';

/** A solid of an STL. Binary files have only one, without a name. */
export type StlSolid = { name: string; geometry: MeshGeometry };

/** Builds an indexed mesh from the corners of triangles: equal corners share a vertex. */
export class StlMeshBuilder {
  /** The current corner: its position, then its color. */
  readonly #corner = new Float32Array(6);
  readonly #cornerBits = new Uint32Array(this.#corner.buffer);
  readonly #deduplicator = new VertexDeduplicator(6);
  readonly #positions = createGrowableFloats();
  readonly #colors = createGrowableFloats();
  readonly #indices = createGrowableIndices();
  readonly #hasColors: boolean;

  constructor({ hasColors }: { hasColors: boolean }) {
    this.#hasColors = hasColors;
  }

  /** Sets the sRGB color, from 0 to 1, of the corners that follow. */
  setColor(color: readonly number[]): void {
    this.#corner.set(color, 3);
  }

  addCorner(x: number, y: number, z: number): void {
    if (!Number.isFinite(x + y + z)) {
      throw new Problem('design.unreadable', {
        detail: 'The STL has a vertex whose coordinates are not three numbers.',
      });
    }
    // Adding zero turns -0 into 0, which has different bits.
    this.#corner[0] = x + 0;
    this.#corner[1] = y + 0;
    this.#corner[2] = z + 0;
    const vertex = this.#deduplicator.getOrAdd(this.#cornerBits);
    if (3 * vertex === this.#positions.length) {
      this.#positions.push3(x, y, z);
      if (this.#hasColors) {
        for (let channel = 3; channel < 6; channel++) {
          this.#colors.push(this.#corner[channel] as number);
        }
      }
    }
    this.#indices.push(vertex);
  }

  /** Returns the mesh of all complete triangles. */
  toGeometry(): MeshGeometry {
    const indices = this.#indices.toTypedArray();
    const geometry: MeshGeometry = {
      positions: this.#positions.toTypedArray(),
      indices: indices.subarray(0, indices.length - (indices.length % 3)),
    };
    if (this.#hasColors) geometry.colors = toVertexColors(this.#colors.toTypedArray());
    return geometry;
  }
}
