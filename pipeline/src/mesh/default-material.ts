import type { Document, Material, vec3 } from '@gltf-transform/core';

/** The roughness of a material that specifies none: slightly glossy. */
export const DEFAULT_ROUGHNESS = 0.6;

/** The linear color of a surface that has none: a light gray, on which shading is visible. */
export const DEFAULT_COLOR: Readonly<vec3> = [0.6, 0.6, 0.6];

/**
 * Creates a non-metallic, slightly glossy material of this linear color.
 *
 * It is double-sided: formats that do not specify sides contain open surfaces, and closed surfaces
 * that are inside out.
 */
export function createDefaultMaterial(
  document: Document,
  color: Readonly<vec3>,
  name = '',
): Material {
  return document
    .createMaterial(name)
    .setBaseColorFactor([...color, 1])
    .setMetallicFactor(0)
    .setRoughnessFactor(DEFAULT_ROUGHNESS)
    .setDoubleSided(true);
}
