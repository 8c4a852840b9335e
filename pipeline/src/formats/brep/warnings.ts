import type { ProcessingWarning } from '@cloche/contract/design';
import { unitsAssumedWarning } from '../../mesh/coordinate-system.ts';

/** Returns the warning that the unit was assumed, which every BREP gets. */
export function collectBrepWarnings(): ProcessingWarning[] {
  return [unitsAssumedWarning('BREP', 'millimeters', 'Z')];
}
