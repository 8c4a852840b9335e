import { addMessages } from './translate.ts';

/**
 * Loads the texts that are not in the document, in its language. It is as necessary for the controls as their
 * script: without names, they would be unusable for some.
 */
export async function loadDeferredMessages(document: Document): Promise<void> {
  const { dataset } = document.getElementById('messages') as HTMLElement;
  const response = await fetch(dataset.deferred as string);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  addMessages(await response.json());
}
