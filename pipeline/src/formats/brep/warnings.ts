import type { ProcessingWarning } from '@cloche/contract/design';
import { unitsAssumedWarning } from '../../mesh/coordinate-system.ts';

/** Every BREP file gets the warning that its unit was assumed. */
export function collectBrepWarnings(): ProcessingWarning[] {
  return [unitsAssumedWarning('BREP', 'millimeters', 'Z')];
}
