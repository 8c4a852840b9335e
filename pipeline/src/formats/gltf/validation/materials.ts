import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfDocument } from './document.ts';
import { findExtension } from './extensions.ts';
import type { ValidationContext } from './validation-context.ts';

/** Checks all materials: every texture they name, however deep in an extension, and every factor. */
export function validateMaterials(document: GltfDocument): void {
  const shown = document.textures.map(
    (texture) => findTextureImage(texture, document) !== undefined,
  );
  for (const material of document.materials) {
    material.find('alphaMode')?.oneOf('OPAQUE', 'MASK', 'BLEND');
    material.find('alphaCutoff')?.number();
    material.find('doubleSided')?.boolean();
    material.find('pbrMetallicRoughness')?.object();
    validateMaterialMembers(material, document, shown);
    const unlit = findExtension(material, 'KHR_materials_unlit');
    if (unlit !== undefined && !document.extensionsUsed.includes('KHR_materials_unlit')) {
      unlit.fail('extension-undeclared', 'is not in extensionsUsed');
    }
  }
}

/** The image a texture shows: from the first extension the viewer reads that has one, or its own. */
export function findTextureImage(
  texture: JsonNode,
  { images }: GltfDocument,
): JsonNode | undefined {
  const sources = ['KHR_texture_basisu', 'EXT_texture_webp', 'EXT_texture_avif'].map((name) =>
    findExtension(texture, name)?.find('source'),
  );
  // All are checked, though one is shown: which one depends on the browser.
  const found = [...sources, texture.find('source')].map((source) =>
    source?.resolveIndex(images, 'images'),
  );
  return found.find((image) => image !== undefined);
}

/** Goes by the names all material extensions share: `…Texture` and `…Factor`. Depth is bounded. */
function validateMaterialMembers(part: JsonNode, document: GltfDocument, shown: boolean[]): void {
  for (const [key, member] of part.entries()) {
    if (key === 'extras') continue;
    if (key.endsWith('Texture')) validateTextureInfo(member, document, shown);
    if (key.endsWith('Factor')) validateFactor(member);
    const { value } = member;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      validateMaterialMembers(member, document, shown);
    }
  }
}

function validateTextureInfo(part: JsonNode, { textures }: GltfDocument, shown: boolean[]): void {
  const index = part.get('index');
  index.resolveIndex(textures, 'textures');
  if (!shown[index.integer()]) index.fail('texture-source', 'is a texture without an image');
  part.find('texCoord')?.integer(0, 31);
  const transform = findExtension(part, 'KHR_texture_transform');
  transform?.find('offset')?.numbers(2);
  transform?.find('scale')?.numbers(2);
  transform?.find('rotation')?.number();
  transform?.find('texCoord')?.integer(0, 31);
}

function validateFactor(part: JsonNode): void {
  if (!Array.isArray(part.value)) part.number();
  else if (part.numbers().length > 4) part.fail('length', 'has more than four numbers');
}

/** The names of the material variants. */
export function parseVariants({ root }: GltfDocument): JsonNode[] {
  const variants = findExtension(root, 'KHR_materials_variants')?.get('variants').items() ?? [];
  for (const variant of variants) variant.get('name').string();
  return variants;
}

/** Checks which material a primitive wears in which variant. */
export function validateVariantMappings(
  primitive: JsonNode,
  { document, variants }: ValidationContext,
): void {
  const extension = findExtension(primitive, 'KHR_materials_variants');
  for (const mapping of extension?.get('mappings').items() ?? []) {
    mapping.get('material').resolveIndex(document.materials, 'materials');
    for (const variant of mapping.get('variants').items())
      variant.resolveIndex(variants, 'variants');
  }
}
