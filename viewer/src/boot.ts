/**
 * The inline script of the framed document: looks where it is framed, then starts the model's
 * request, so that it travels beside the request for the module script.
 */
import type { Framed } from '@cloche/contract/framed';
import { findStranger } from './ancestors.ts';
import { requestModel } from './opening.ts';
import { showWords } from './words.ts';

const json = document.getElementById('framed') as HTMLElement;
const framed = JSON.parse(json.textContent) as Framed;
json.remove();

if (top === self) {
  showWords(document, 'refused', {
    title: 'This design lives inside another page',
    detail: 'It cannot be opened on its own. Please visit the page that shows it.',
  });
} else {
  const stranger = findStranger(location.ancestorOrigins, framed.origins);
  if (stranger === undefined) {
    globalThis.clocheOpening = { framed, response: requestModel(framed) };
  } else {
    showWords(document, 'refused', {
      title: 'This design is not shown here',
      detail: `${stranger} is not on the list of sites that may show it.`,
    });
  }
}
