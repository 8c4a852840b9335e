import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { unitsAssumedWarning } from '../../mesh/coordinate-system.ts';
import { isVertexIndexList, type PlyElement, type PlyHeader } from './header.ts';
import { VERTEX_PROPERTIES } from './vertex-properties.ts';

/** Properties that do not affect how the model looks. */
const IGNORABLE_PROPERTIES = ['flags', 'material_index'];
const SUPPORTED_PROPERTIES = new Set<string>([
  ...Object.values(VERTEX_PROPERTIES).flat(2),
  ...IGNORABLE_PROPERTIES,
]);
/** The maximum number of names in a warning. */
const MAX_LISTED_NAMES = 6;

/** Collects warnings about what is assumed about a PLY, ignored, or rendered differently. */
export function collectPlyWarnings(
  { elements, textures }: PlyHeader,
  indices: Uint32Array,
): ProcessingWarning[] {
  const warnings = [unitsAssumedWarning('PLY', 'meters', 'Y')];
  const vertex = elements.find(({ name }) => name === 'vertex');
  const isSplats = vertex?.properties.some(({ name }) => name === 'f_dc_0');
  if (isSplats) {
    const message = 'The PLY contains Gaussian splats: they are rendered as colored points.';
    warnings.push({ code: 'splats.as-points', message });
  } else if (indices.length === 0) {
    const message = 'The PLY has no faces: its points are rendered.';
    warnings.push({ code: 'points.only', message });
  }
  const names = isSplats ? [] : listIgnoredNames(elements);
  if (names.length > 0) {
    const listed = names.slice(0, MAX_LISTED_NAMES).map((name) => quoteUntrusted(name));
    const more = names.length > MAX_LISTED_NAMES ? ' and more' : '';
    const message = `The PLY has ${listed.join(', ')}${more}, which was ignored.`;
    warnings.push({ code: 'properties.ignored', message });
  }
  if (textures.length > 0) {
    const message = 'The PLY refers to a texture in another file, which was not uploaded with it.';
    warnings.push({ code: 'texture.missing', message });
  }
  return warnings;
}

/** Lists the unsupported properties of vertices and faces, and the unsupported elements. */
function listIgnoredNames(elements: readonly PlyElement[]): string[] {
  return elements.flatMap(({ name: elementName, count, properties }) => {
    if (count === 0) return [];
    if (elementName === 'vertex') {
      return properties.map(({ name }) => name).filter((name) => !SUPPORTED_PROPERTIES.has(name));
    }
    if (elementName !== 'face' && elementName !== 'tristrips') return [elementName];
    return properties
      .filter(
        (property) => !isVertexIndexList(property) && !IGNORABLE_PROPERTIES.includes(property.name),
      )
      .map(({ name }) => `${name} of ${elementName}`);
  });
}
