import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';

/** Kinds of things, and what files call them. */
export type KindPatterns = readonly (readonly [kind: string, mark: RegExp])[];

/** Pictures of a material that assimp's GLB lacks, by what they are of. */
export const TEXTURE_KINDS: KindPatterns = [
  ['bumps', /bump|normalCamera/i],
  ['displacement', /displacement/i],
  ['gloss', /specular|shininess|gloss|roughness/i],
  ['metal', /metal/i],
  ['reflection', /reflecti/i],
  ['transparency', /transparen|opacity/i],
];

export function findKind(kinds: KindPatterns, name: string): string | undefined {
  return kinds.find(([, mark]) => mark.test(name))?.[0];
}

export function collectTextureWarnings(
  format: string,
  kinds: ReadonlySet<string>,
): ProcessingWarning[] {
  return [...kinds].map((kind) => ({
    code: 'material.unread',
    message: `The ${format} has pictures of ${kind}, which were not read.`,
  }));
}

export function collectCameraWarnings(
  format: string,
  document: Document,
  has: { camera: boolean; light: boolean },
): ProcessingWarning[] {
  const root = document.getRoot();
  const warnings: ProcessingWarning[] = [];
  if (has.camera && root.listCameras().length === 0) {
    const message = `The ${format} has cameras, which were not read.`;
    warnings.push({ code: 'cameras.unread', message });
  }
  const isLit = root
    .listExtensionsUsed()
    .some(({ extensionName }) => extensionName === 'KHR_lights_punctual');
  if (has.light && !isLit) {
    const message = `The ${format} has lights, which were not read.`;
    warnings.push({ code: 'lights.unread', message });
  }
  return warnings;
}
