import type { Document, Material } from '@gltf-transform/core';

/** With how many materials of the same key a material is compared, so that the time is linear. */
const MAX_COMPARISONS = 32;

/**
 * Merges equal materials. Materials with different names are kept: owners and variants refer to
 * materials by name.
 *
 * glTF-Transform's own `dedup` compares each pair: 20 000 materials would take 20 minutes. Here only
 * materials with the same name and the same factors are compared.
 */
export function dedupMaterials(document: Document): void {
  const groups = Map.groupBy(document.getRoot().listMaterials(), toGroupKey);
  for (const group of groups.values()) mergeEqualMaterials(group);
}

/** A key that equal materials share, but most others do not. */
function toGroupKey(material: Material): string {
  return JSON.stringify([
    material.getName(),
    material.getBaseColorFactor(),
    material.getEmissiveFactor(),
    [material.getMetallicFactor(), material.getRoughnessFactor(), material.getAlphaCutoff()],
    [material.getAlphaMode(), material.getDoubleSided()],
    material.listExtensions().map(({ extensionName }) => extensionName),
    material.getExtras(),
  ]);
}

function mergeEqualMaterials(group: readonly Material[]): void {
  const uniqueMaterials: Material[] = [];
  for (const material of group) {
    const equal = uniqueMaterials.slice(-MAX_COMPARISONS).find((other) => other.equals(material));
    if (equal === undefined) uniqueMaterials.push(material);
    else replaceMaterial(material, equal);
  }
}

function replaceMaterial(material: Material, replacement: Material): void {
  for (const parent of material.listParents()) {
    if (parent.propertyType !== 'Root') parent.swap(material, replacement);
  }
  material.dispose();
}
