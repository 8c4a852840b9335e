import type { ProcessingWarning } from '@cloche/contract/design';

/** The warning that hidden parts are rendered, because the library does not report visibility. */
export function hiddenPartsWarning(formatLabel: string): ProcessingWarning {
  const message = `The ${formatLabel} file hides parts, which are rendered nevertheless.`;
  return { code: 'hidden.rendered', message };
}
