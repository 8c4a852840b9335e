/** The globals of the test pages. */
import type { ClocheGlobal } from '../src/browser/script.ts';
import type { ViewerHandle } from '../src/index.ts';

declare global {
  const Cloche: ClocheGlobal;
  interface Window {
    handle: ViewerHandle;
    /** What has happened, in order. */
    log: string[];
  }
}
