import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, Material } from '@gltf-transform/core';
import {
  KHRMaterialsIOR,
  KHRMaterialsSpecular,
  type PBRSpecularGlossiness,
  type Specular,
} from '@gltf-transform/extensions';
import { removeSpecularGlossinessTexture } from './missing-textures.ts';
import { SpecularGlossinessTextures } from './specular-glossiness-textures.ts';

const SPECULAR_GLOSSINESS = 'KHR_materials_pbrSpecularGlossiness';
/** Image types whose pixels can be converted here. */
const DECODABLE_IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/avif']);
/** So high that only KHR_materials_specular determines the reflection. */
const HIGH_IOR = 1000;

const CONVERTED_WARNING = {
  code: 'material.converted',
  message:
    'Specular-glossiness materials were converted to metallic-roughness; they may look slightly different.',
};
const UNSUPPORTED_WARNING = {
  code: 'texture.unsupported',
  message: 'Specular-glossiness textures of an image format that cannot be converted were removed.',
};

/**
 * Converts specular-glossiness materials to metallic-roughness, which is nearly equivalent: as
 * `metalRough` of glTF-Transform, but a texture of several materials is converted only once, and
 * textures of the fallback material are removed.
 *
 * @throws {Problem} design.unreadable: an image is damaged
 */
export async function convertSpecularGlossiness(document: Document): Promise<ProcessingWarning[]> {
  const warnings = new Set<ProcessingWarning>();
  const textures = new SpecularGlossinessTextures(document);
  for (const material of document.getRoot().listMaterials()) {
    const source = material.getExtension<PBRSpecularGlossiness>(SPECULAR_GLOSSINESS);
    if (source === null) continue;
    warnings.add(CONVERTED_WARNING);
    const texture = source.getSpecularGlossinessTexture();
    if (texture && !DECODABLE_IMAGE_TYPES.has(texture.getMimeType())) {
      removeSpecularGlossinessTexture(source);
      warnings.add(UNSUPPORTED_WARNING);
    }
    convertFactors(document, material, source);
    await convertTextures(material, source, textures);
  }
  document.disposeExtension(SPECULAR_GLOSSINESS);
  textures.disposeUnused();
  return [...warnings];
}

function convertFactors(
  document: Document,
  material: Material,
  source: PBRSpecularGlossiness,
): void {
  const specular = document
    .createExtension(KHRMaterialsSpecular)
    .createSpecular()
    .setSpecularColorFactor(source.getSpecularFactor());
  const ior = document.createExtension(KHRMaterialsIOR).createIOR().setIOR(HIGH_IOR);
  material
    .setBaseColorFactor(source.getDiffuseFactor())
    .setBaseColorTexture(source.getDiffuseTexture())
    .setMetallicFactor(0)
    .setRoughnessFactor(1 - source.getGlossinessFactor())
    .setMetallicRoughnessTexture(null)
    .setExtension('KHR_materials_specular', specular)
    .setExtension('KHR_materials_ior', ior)
    .setExtension(SPECULAR_GLOSSINESS, null);
  const diffuseInfo = source.getDiffuseTextureInfo();
  if (diffuseInfo) material.getBaseColorTextureInfo()?.copy(diffuseInfo);
}

async function convertTextures(
  material: Material,
  source: PBRSpecularGlossiness,
  textures: SpecularGlossinessTextures,
): Promise<void> {
  const texture = source.getSpecularGlossinessTexture();
  const info = source.getSpecularGlossinessTextureInfo();
  if (!texture || !info) return;
  const specular = material.getExtension<Specular>('KHR_materials_specular');
  specular?.setSpecularColorTexture(await textures.toSpecular(texture));
  specular?.getSpecularColorTextureInfo()?.copy(info);
  const roughness = await textures.toRoughness(texture, source.getGlossinessFactor());
  if (roughness === undefined) return;
  material.setRoughnessFactor(1).setMetallicRoughnessTexture(roughness);
  material.getMetallicRoughnessTextureInfo()?.copy(info);
}
