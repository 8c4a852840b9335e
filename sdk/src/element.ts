/** Defines `<cloche-viewer>`: `import '@cloche/sdk/element'`. */
import { defineElement } from './viewer-element.ts';

export {
  ClocheViewerElement,
  type ElementAttributes,
  type ElementEvents,
  type ElementProperties,
} from './viewer-element.ts';

defineElement();
