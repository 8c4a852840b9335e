import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import { ignoredWarning } from '../../mesh/import-warnings.ts';

/** Kinds of content, each with a pattern for the names that files give to it. */
export type KindPatterns = readonly (readonly [kind: string, pattern: RegExp])[];

/** The kinds of textures that are missing from assimp's GLB. */
export const TEXTURE_KINDS: KindPatterns = [
  ['bump', /bump|normalCamera/i],
  ['displacement', /displacement/i],
  ['gloss', /specular|shininess|gloss|roughness/i],
  ['metalness', /metal/i],
  ['reflection', /reflecti/i],
  ['transparency', /transparen|opacity/i],
];

/** Finds the first kind whose pattern matches the name. */
export function findKind(kinds: KindPatterns, name: string): string | undefined {
  return kinds.find(([, pattern]) => pattern.test(name))?.[0];
}

/** Returns a warning for each of these kinds of textures, which assimp ignores. */
export function collectTextureWarnings(
  formatLabel: string,
  kinds: ReadonlySet<string>,
): ProcessingWarning[] {
  return [...kinds].map((kind) =>
    ignoredWarning('material.ignored', formatLabel, `${kind} textures`),
  );
}

/** Returns warnings for cameras and lights that are in the file, but not in the converted document. */
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
