import type { ProcessingWarning } from '@cloche/contract/design';

/** Every BREP file gets the warning that its unit was assumed. */
export function collectBrepWarnings(): ProcessingWarning[] {
  const message = 'BREP files do not contain their unit: millimeters and Z up were assumed.';
  return [{ code: 'units.assumed', message }];
}
