/** `import '@cloche/sdk/svelte'`: defines `<cloche-viewer>`, with its types in the templates of Svelte. */
import type { HTMLAttributes } from 'svelte/elements';
import type {
  ClocheViewerElement,
  ElementAttributes,
  ElementEvents,
  ElementProperties,
} from './viewer-element.ts';
import { defineElement } from './viewer-element.ts';

/** `onpick={…}`, and the form before Svelte 5: `on:pick={…}`. */
type SvelteEvents = {
  [Name in keyof ElementEvents as `on${Name}` | `on:${Name}`]?:
    | ((event: ElementEvents[Name]) => void)
    | null
    | undefined;
};

export type ClocheViewerSvelteAttributes = Omit<
  HTMLAttributes<ClocheViewerElement>,
  keyof ElementProperties | keyof ElementAttributes | keyof SvelteEvents
> &
  ElementProperties &
  ElementAttributes &
  SvelteEvents;

defineElement();

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'cloche-viewer': ClocheViewerSvelteAttributes;
  }
}
