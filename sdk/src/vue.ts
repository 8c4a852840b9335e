/** `import '@cloche/sdk/vue'`: defines `<cloche-viewer>`, with its types in the templates of Vue. */
import type { EmitFn, HTMLAttributes, PublicProps } from 'vue';
import type { ElementAttributes, ElementEvents, ElementProperties } from './viewer-element.ts';
import { defineElement } from './viewer-element.ts';

type VueEvents = { [Name in keyof ElementEvents]: (event: ElementEvents[Name]) => void };

/** The element as a component, which is how Vue types elements. */
export type ClocheViewerVueElement = new () => {
  $props: Omit<HTMLAttributes, keyof ElementProperties | keyof ElementAttributes> &
    PublicProps &
    ElementProperties &
    ElementAttributes;
  $emit: EmitFn<VueEvents>;
};

defineElement();

declare module 'vue' {
  interface GlobalComponents {
    'cloche-viewer': ClocheViewerVueElement;
  }
}
