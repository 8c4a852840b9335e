import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import type { PlyBodyElement, PlyBodyHeader } from './body.ts';
import { VERTEX_PROPERTIES } from './vertex-properties.ts';

/** Written by habit, and of no look. */
const IGNORABLE_PROPERTIES = ['flags', 'material_index'];
const SUPPORTED_PROPERTIES = new Set<string>([
  ...Object.values(VERTEX_PROPERTIES).flat(2),
  ...IGNORABLE_PROPERTIES,
]);
/** As many names as a sentence bears. */
const MAX_LISTED_NAMES = 6;

/** Tells what a PLY has that is not drawn, or not as it was meant. */
export function collectPlyWarnings(
  { elements, textures }: PlyBodyHeader,
  indices: Uint32Array,
): ProcessingWarning[] {
  const warnings: ProcessingWarning[] = [];
  const vertex = elements.find(({ name }) => name === 'vertex');
  const isSplats = vertex?.properties.some(({ name }) => name === 'f_dc_0');
  if (isSplats) {
    const message = 'The PLY holds gaussian splats: they are shown as coloured points.';
    warnings.push({ code: 'splats.as-points', message });
  } else if (indices.length === 0) {
    warnings.push({ code: 'points.only', message: 'The PLY has no faces: its points are shown.' });
  }
  const names = isSplats ? [] : listIgnoredNames(elements);
  if (names.length > 0) {
    const shown = names.slice(0, MAX_LISTED_NAMES).map((name) => quoteUntrusted(name));
    const rest = names.length > MAX_LISTED_NAMES ? ' and more' : '';
    const message = `The PLY has ${shown.join(', ')}${rest}, which was not read.`;
    warnings.push({ code: 'properties.unread', message });
  }
  if (textures.length > 0) {
    const message = 'The PLY names a texture in another file, which was not uploaded with it.';
    warnings.push({ code: 'texture.missing', message });
  }
  return warnings;
}

/** Properties of vertices and faces, and whole elements, that nothing here knows. */
function listIgnoredNames(elements: readonly PlyBodyElement[]): string[] {
  return elements.flatMap(({ name, count, properties }) => {
    if (count === 0) return [];
    if (name === 'vertex') {
      return properties.flatMap((each) => (SUPPORTED_PROPERTIES.has(each.name) ? [] : each.name));
    }
    if (name !== 'face' && name !== 'tristrips') return [name];
    return properties.flatMap((each) => {
      const isRead = /^vertex_ind/.test(each.name) || IGNORABLE_PROPERTIES.includes(each.name);
      return isRead ? [] : `${each.name} of ${name}`;
    });
  });
}
