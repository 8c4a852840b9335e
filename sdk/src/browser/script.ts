/** `/sdk/v1/cloche.js`, for script tags: the global `Cloche`, and `<cloche-viewer>`. */
import { setDefaultService } from '../service-origin.ts';
import { defineElement } from '../viewer-element.ts';

export * from '../index.ts';
export { ClocheViewerElement } from '../viewer-element.ts';

// Before the elements that are already in the page use it.
setDefaultService((document.currentScript as HTMLScriptElement | null)?.src);
defineElement();
