import type { ProcessingWarning } from '@cloche/contract/design';
import { unitsAssumedWarning } from '../../mesh/coordinate-system.ts';

/** What an OFF contains that is not imported, or only in part. */
export type OffFindings = {
  hasTriangles: boolean;
  /** Faces of one or two corners. */
  hasLines: boolean;
  /** Colors that are an index into a color map, which is another file. */
  hasColorIndices: boolean;
  /** Vertices with more numbers than the keyword of the file declares. */
  hasUndeclaredNumbers: boolean;
};

/** Lists what is assumed about an OFF, and what is ignored or rendered differently. */
export function collectOffWarnings(findings: OffFindings): ProcessingWarning[] {
  const warnings = [unitsAssumedWarning('OFF', 'meters', 'Y')];
  if (!findings.hasTriangles) {
    const message = 'The OFF has no polygons: its points are rendered.';
    warnings.push({ code: 'points.only', message });
  }
  if (findings.hasLines) {
    const message = 'The OFF has faces with fewer than three corners, which were ignored.';
    warnings.push({ code: 'lines.ignored', message });
  }
  if (findings.hasColorIndices) {
    const message = 'The OFF has colors that refer to a color map, which were ignored.';
    warnings.push({ code: 'colors.ignored', message });
  }
  if (findings.hasUndeclaredNumbers) {
    const message =
      'The vertices of the OFF have more numbers than it declares; they were ignored.';
    warnings.push({ code: 'properties.ignored', message });
  }
  return warnings;
}
