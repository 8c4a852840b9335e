/** `/sdk/v1/cloche.mjs`, for `import` in a page: the same exports, and `<cloche-viewer>`. */
import { setDefaultService } from '../service-origin.ts';
import { defineElement } from '../viewer-element.ts';

export * from '../index.ts';
export { ClocheViewerElement } from '../viewer-element.ts';

setDefaultService(import.meta.url);
defineElement();
