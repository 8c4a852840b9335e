import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, GLTF, Material, Texture } from '@gltf-transform/core';
import type { PBRSpecularGlossiness, Transmission } from '@gltf-transform/extensions';
import { missingTextureWarning } from '../../mesh/import-warnings.ts';

/** The reflectance of most materials that are not metals. */
const DIELECTRIC_REFLECTANCE = 0.04;

/** Lets textures whose image in an extension is missing, such as a WebP, use their own image. */
export function useFallbackImages(json: GLTF.IGLTF, missingImages: ReadonlySet<number>): void {
  for (const { source, extensions = {} } of json.textures ?? []) {
    if (source === undefined || missingImages.has(source)) continue;
    for (const [name, extension] of Object.entries(extensions)) {
      const image = (extension as { source?: number } | null)?.source;
      if (image !== undefined && missingImages.has(image)) delete extensions[name];
    }
  }
}

/**
 * Removes textures whose images are missing from all materials, and warns about those that were used.
 *
 * @param missingUris the URIs in the source file, by texture
 */
export function removeMissingTextures(
  document: Document,
  missingUris: ReadonlyMap<Texture, string>,
): ProcessingWarning[] {
  const warnings = [...missingUris]
    .filter(([texture]) => texture.listParents().some((parent) => parent !== document.getRoot()))
    .map(([, uri]) => missingTextureWarning(uri));
  for (const material of document.getRoot().listMaterials()) {
    replaceMissingTextures(material, (texture) => texture !== null && missingUris.has(texture));
  }
  for (const texture of missingUris.keys()) texture.dispose();
  return warnings;
}

/**
 * Sets factors that are meant to be reduced by a missing texture. Without it, a material with parts
 * of metal would be all metal, and one with a lamp would glow all over.
 */
function replaceMissingTextures(
  material: Material,
  isMissing: (texture: Texture | null) => boolean,
): void {
  if (isMissing(material.getMetallicRoughnessTexture())) material.setMetallicFactor(0);
  if (isMissing(material.getEmissiveTexture())) material.setEmissiveFactor([0, 0, 0]);
  const transmission = material.getExtension<Transmission>('KHR_materials_transmission');
  if (transmission && isMissing(transmission.getTransmissionTexture()))
    transmission.setTransmissionFactor(0);
  const glossiness = material.getExtension<PBRSpecularGlossiness>(
    'KHR_materials_pbrSpecularGlossiness',
  );
  if (glossiness && isMissing(glossiness.getSpecularGlossinessTexture()))
    removeSpecularGlossinessTexture(glossiness);
}

/** Removes the texture. The factors without it are usually those of a mirror. */
export function removeSpecularGlossinessTexture(extension: PBRSpecularGlossiness): void {
  extension
    .setSpecularGlossinessTexture(null)
    .setSpecularFactor([DIELECTRIC_REFLECTANCE, DIELECTRIC_REFLECTANCE, DIELECTRIC_REFLECTANCE])
    .setGlossinessFactor(0);
}
