import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfDocument } from './document.ts';
import { findExtension } from './extensions.ts';
import type { ValidationContext } from './validation-context.ts';

/** Checks all textures and factors of all materials, including those in extensions. */
export function validateMaterials(document: GltfDocument): void {
  const texturesWithImage = document.textures.map(
    (texture) => findTextureImage(texture, document) !== undefined,
  );
  for (const material of document.materials) {
    material.find('alphaMode')?.oneOf('OPAQUE', 'MASK', 'BLEND');
    material.find('alphaCutoff')?.number();
    material.find('doubleSided')?.boolean();
    material.find('pbrMetallicRoughness')?.object();
    validateMaterialMembers(material, document, texturesWithImage);
    const unlit = findExtension(material, 'KHR_materials_unlit');
    if (unlit !== undefined && !document.extensionsUsed.includes('KHR_materials_unlit')) {
      unlit.fail('extension-undeclared', 'is not in extensionsUsed');
    }
  }
}

/** Finds the image of a texture: of the first supported extension that has one, or its own. */
export function findTextureImage(
  texture: JsonNode,
  { images }: GltfDocument,
): JsonNode | undefined {
  const sources = ['KHR_texture_basisu', 'EXT_texture_webp', 'EXT_texture_avif'].map((name) =>
    findExtension(texture, name)?.find('source'),
  );
  // All are checked, because which one is used depends on the browser.
  const found = [...sources, texture.find('source')].map((source) =>
    source?.resolveIndex(images, 'images'),
  );
  return found.find((image) => image !== undefined);
}

/** Checks textures and factors, which it finds by the end of their names. The depth is limited. */
function validateMaterialMembers(
  json: JsonNode,
  document: GltfDocument,
  texturesWithImage: boolean[],
): void {
  for (const [key, member] of json.entries()) {
    if (key === 'extras') continue;
    if (key.endsWith('Texture')) validateTextureInfo(member, document, texturesWithImage);
    if (key.endsWith('Factor')) validateFactor(member);
    const { value } = member;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      validateMaterialMembers(member, document, texturesWithImage);
    }
  }
}

function validateTextureInfo(
  json: JsonNode,
  { textures }: GltfDocument,
  texturesWithImage: boolean[],
): void {
  const index = json.get('index');
  index.resolveIndex(textures, 'textures');
  if (!texturesWithImage[index.integer()])
    index.fail('texture-source', 'is a texture without an image');
  json.find('texCoord')?.integer(0, 31);
  const transform = findExtension(json, 'KHR_texture_transform');
  transform?.find('offset')?.numbers(2);
  transform?.find('scale')?.numbers(2);
  transform?.find('rotation')?.number();
  transform?.find('texCoord')?.integer(0, 31);
}

function validateFactor(json: JsonNode): void {
  if (!Array.isArray(json.value)) json.number();
  else if (json.numbers().length > 4) json.fail('length', 'has more than four numbers');
}

/** Reads the material variants. */
export function parseVariants({ root }: GltfDocument): JsonNode[] {
  const variants = findExtension(root, 'KHR_materials_variants')?.get('variants').items() ?? [];
  for (const variant of variants) variant.get('name').string();
  return variants;
}

/** Checks the materials that a primitive has in each variant. */
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
