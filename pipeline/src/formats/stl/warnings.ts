import type { ProcessingWarning } from '@cloche/contract/design';
import { unitsAssumedWarning } from '../../mesh/coordinate-system.ts';
import {
  findDefaultColor,
  isBinaryStl,
  readFacetCount,
  STL_ATTRIBUTE_OFFSET,
  STL_FACET_BYTES,
  STL_HEADER_BYTES,
} from './binary-stl.ts';

/** Collects warnings about what is assumed about an STL, and what is ignored. */
export function collectStlWarnings(bytes: Buffer): ProcessingWarning[] {
  const warnings = [unitsAssumedWarning('STL', 'millimeters', 'Z')];
  if (hasColorsOfUnknownEncoding(bytes)) {
    const message =
      'The STL seems to have colors, but does not specify their encoding: they were ignored.';
    warnings.push({ code: 'colors.ignored', message });
  }
  return warnings;
}

/** Whether facets seem to have colors, but the header does not declare them, as in many programs. */
function hasColorsOfUnknownEncoding(bytes: Buffer): boolean {
  if (!isBinaryStl(bytes, bytes.length) || findDefaultColor(bytes)) return false;
  const count = readFacetCount(bytes);
  for (let facet = 0; facet < count; facet++) {
    const offset = STL_HEADER_BYTES + STL_FACET_BYTES * facet + STL_ATTRIBUTE_OFFSET;
    const attribute = bytes.readUInt16LE(offset);
    if (attribute >= 0x8000 && attribute !== 0xffff) return true;
  }
  return false;
}
