import { LANGUAGES, type Language } from '@cloche/contract/viewer-options';

/**
 * Returns the language of the page at an element: that of the closest element with `lang`. Undefined if the page names none,
 * or one that the viewer does not have; then the browser's languages decide.
 */
export function findPageLanguage(element: Element): Language | undefined {
  // `:lang(de)` includes `de-AT`, and the elements around a shadow root.
  return LANGUAGES.find((language) => element.matches(`:lang(${language})`));
}
