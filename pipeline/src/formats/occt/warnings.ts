import type { ProcessingWarning } from '@cloche/contract/design';

/** The warning that hidden parts are shown, because the library does not report visibility. */
export function hiddenPartsWarning(formatLabel: string): ProcessingWarning {
  const message = `The ${formatLabel} file has hidden parts, which are shown.`;
  return { code: 'hidden.shown', message };
}
