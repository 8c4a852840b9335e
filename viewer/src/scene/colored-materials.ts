import type { Material, MeshStandardMaterial } from 'three';
import type { DrawnObject } from './part-tree.ts';

/**
 * Copies of materials in other colors. Objects that share a material share its copy in one color. A texture of the
 * material stays, multiplied by the color, as with `baseColorFactor` of glTF.
 */
export class ColoredMaterials {
  readonly #copies = new Map<Material, Map<string, Material>>();
  /** The material of each copy. */
  readonly #originals = new Map<Material, Material>();
  readonly #used = new Set<Material>();

  /** Returns the material of an object in a color, or its own. `#rrggbb`. */
  get({ material }: { material: DrawnObject['material'] }, color: string | undefined): Material {
    // Another variant may have replaced a copy.
    const original = this.#originals.get(material) ?? material;
    if (color === undefined) return original;
    const copies = this.#copies.get(original) ?? new Map<string, Material>();
    this.#copies.set(original, copies);
    const copy = copies.get(color) ?? this.#createCopy(original, color);
    copies.set(color, copy);
    this.#used.add(copy);
    return copy;
  }

  /** Frees the copies that `get` has not returned since the last call. */
  disposeUnused(): void {
    for (const [original, copies] of this.#copies) {
      for (const [color, copy] of copies) {
        if (this.#used.has(copy)) continue;
        copies.delete(color);
        this.#originals.delete(copy);
        copy.dispose();
      }
      if (copies.size === 0) this.#copies.delete(original);
    }
    this.#used.clear();
  }

  #createCopy(original: Material, color: string): Material {
    const { onBeforeCompile, customProgramCacheKey } = original;
    // `clone` leaves them out. With them, the copy has the shader of the original.
    const copy = Object.assign(original.clone(), { onBeforeCompile, customProgramCacheKey });
    // The materials that GLTFLoader creates all have a color.
    (copy as MeshStandardMaterial).color.set(color);
    this.#originals.set(copy, original);
    return copy;
  }
}
