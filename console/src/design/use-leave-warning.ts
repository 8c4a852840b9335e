import { useBlocker } from '@tanstack/react-router';
import { texts } from '../i18n/en.ts';

/** Asks before the page is left while there are changes that are not saved. */
export function useLeaveWarning(hasChanges: boolean): void {
  useBlocker({
    // A link to another part of the page does not leave it.
    shouldBlockFn: ({ current, next }) =>
      hasChanges && next.pathname !== current.pathname && !window.confirm(texts.design.leave),
    enableBeforeUnload: () => hasChanges,
  });
}
