/** Type checked, not run: the element in templates of Svelte, whose tools read `SvelteHTMLElements`. */
import type { SvelteHTMLElements } from 'svelte/elements';
import type {} from '../../src/svelte.ts';

export const attributes: SvelteHTMLElements['cloche-viewer'] = {
  src: 'https://cloche.example.com/embed/iframe/v1/…?token=…',
  'camera-orbit': '30deg 75deg 105%',
  autoRotate: true,
  class: 'view',
  onpick: ({ detail }) => detail.part.name.trim(),
  'on:camera-change': ({ detail }) => detail.orbit.theta.toFixed(2),
};

export const wrongAttributes: SvelteHTMLElements['cloche-viewer'] = {
  // @ts-expect-error: not one of the themes
  theme: 'blue',
  // @ts-expect-error: the event has no such detail
  onload: ({ detail }) => detail.part.name,
};
