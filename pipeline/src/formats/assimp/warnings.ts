import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import { ignoredWarning } from '../../mesh/import-warnings.ts';

/** Kinds of content, each with a pattern of the names that files use for it. */
export type KindPatterns = readonly (readonly [kind: string, pattern: RegExp])[];

/** Kinds of textures that assimp leaves out of its GLB. */
export const TEXTURE_KINDS: KindPatterns = [
  ['bump', /bump|normalCamera/i],
  ['displacement', /displacement/i],
  ['gloss', /specular|shininess|gloss|roughness/i],
  ['metalness', /metal/i],
  ['reflection', /reflecti/i],
  ['transparency', /transparen|opacity/i],
];

/** The first kind whose pattern matches the name. */
export function findKind(kinds: KindPatterns, name: string): string | undefined {
  return kinds.find(([, pattern]) => pattern.test(name))?.[0];
}

/** One warning for each kind of texture that the file has and the converter ignores. */
export function collectTextureWarnings(
  formatLabel: string,
  kinds: ReadonlySet<string>,
): ProcessingWarning[] {
  return [...kinds].map((kind) =>
    ignoredWarning('material.ignored', formatLabel, `${kind} textures`),
  );
}

/** Warnings for cameras and lights that the file has and the converted document does not. */
export function collectCameraAndLightWarnings(
  formatLabel: string,
  document: Document,
  { hasCameras, hasLights }: { hasCameras: boolean; hasLights: boolean },
): ProcessingWarning[] {
  const root = document.getRoot();
  const warnings: ProcessingWarning[] = [];
  if (hasCameras && root.listCameras().length === 0)
    warnings.push(ignoredWarning('cameras.ignored', formatLabel, 'cameras'));
  const hasConvertedLights = root
    .listExtensionsUsed()
    .some(({ extensionName }) => extensionName === 'KHR_lights_punctual');
  if (hasLights && !hasConvertedLights)
    warnings.push(ignoredWarning('lights.ignored', formatLabel, 'lights'));
  return warnings;
}
