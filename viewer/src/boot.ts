/**
 * The inline script of the framed document: looks where it is framed, starts the first requests, so
 * that they travel beside the one for the module script, and fills the frame with what the document
 * knows.
 */
import type { Framed } from '@cloche/contract/framed';
import { findStranger } from './ancestors.ts';
import { requestFirst } from './opening.ts';
import { fillFrame } from './placeholder.ts';
import { hangPoster, measurePosters } from './poster.ts';
import { showWords } from './words.ts';

/** The scripts that a preview is read with, by their addresses; the build puts them in. */
declare const PREVIEW_SCRIPTS: readonly string[];

const json = document.getElementById('framed') as HTMLElement;
const framed = JSON.parse(json.textContent) as Framed;
json.remove();

if (framed.still) {
  // Opened by the service itself, which takes its picture.
  document.documentElement.dataset.still = '';
  globalThis.clocheOpening = { framed, response: requestFirst(framed) };
} else if (top === self) {
  showWords(document, 'refused', {
    title: 'This design lives inside another page',
    detail: 'It cannot be opened on its own. Please visit the page that shows it.',
  });
} else {
  const stranger = findStranger(location.ancestorOrigins, framed.origins);
  if (stranger === undefined) open(framed);
  else {
    showWords(document, 'refused', {
      title: 'This design is not shown here',
      detail: `${stranger} is not on the list of sites that may show it.`,
    });
  }
}

function open(framed: Framed): void {
  globalThis.clocheOpening = { framed, response: requestFirst(framed) };
  if (framed.preview !== undefined) for (const href of PREVIEW_SCRIPTS) preload(href);
  measurePosters(document.documentElement, framed);
  hangPoster(document, framed).catch(() => undefined);
  if (framed.look !== undefined) fillFrame(document, framed.look);
}

function preload(href: string): void {
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'modulepreload', href }));
}
