import { quote } from '../preflight/quote.ts';
import type { Warning } from '../report.ts';
import type { Element, PlyHeader } from './ply-body.ts';
import { COLUMNS } from './ply-columns.ts';

/** Written by habit, and of no look. */
const HARMLESS = ['flags', 'material_index'];
const READ = new Set<string>([...Object.values(COLUMNS).flat(2), ...HARMLESS]);
/** As many names as a sentence bears. */
const MOST_NAMES = 6;

/** Tells what a PLY has that is not drawn, or not as it was meant. */
export function tellPly({ elements, textures }: PlyHeader, indices: Uint32Array): Warning[] {
  const warnings: Warning[] = [];
  const vertex = elements.find(({ name }) => name === 'vertex');
  const isSplats = vertex?.properties.some(({ name }) => name === 'f_dc_0');
  if (isSplats) {
    const message = 'The PLY holds gaussian splats: they are shown as coloured points.';
    warnings.push({ code: 'splats.as-points', message });
  } else if (indices.length === 0) {
    warnings.push({ code: 'points.only', message: 'The PLY has no faces: its points are shown.' });
  }
  const names = isSplats ? [] : unreadNames(elements);
  if (names.length > 0) {
    const shown = names.slice(0, MOST_NAMES).map((name) => quote(name));
    const rest = names.length > MOST_NAMES ? ' and more' : '';
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
function unreadNames(elements: readonly Element[]): string[] {
  return elements.flatMap(({ name, count, properties }) => {
    if (count === 0) return [];
    if (name === 'vertex') {
      return properties.flatMap((each) => (READ.has(each.name) ? [] : each.name));
    }
    if (name !== 'face' && name !== 'tristrips') return [name];
    return properties.flatMap((each) => {
      const isRead = /^vertex_ind/.test(each.name) || HARMLESS.includes(each.name);
      return isRead ? [] : `${each.name} of ${name}`;
    });
  });
}
