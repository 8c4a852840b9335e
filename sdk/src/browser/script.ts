/** `/sdk/v1/cloche.js`, for script tags: the global `Cloche`, and `<cloche-viewer>`. */
import { ClocheError, createEmbedUrl, createViewer } from '../index.ts';
import { setDefaultService } from '../service-origin.ts';
import { ClocheViewerElement, defineElement } from '../viewer-element.ts';

const Cloche = { ClocheError, ClocheViewerElement, createEmbedUrl, createViewer };
/** The global `Cloche`. */
export type ClocheGlobal = typeof Cloche;

Object.assign(globalThis, { Cloche });
// Before the elements that are already in the page use it.
setDefaultService((document.currentScript as HTMLScriptElement | null)?.src);
defineElement();
