/**
 * Shows the poster that is part of the document. Must be called only if the design may be shown: until then, the
 * poster is in a template or hidden, unless the server is certain of all pages around the iframe.
 */
export function showInlinePoster(document: Document): void {
  const template = document.querySelector<HTMLTemplateElement>('#unchecked-poster');
  template?.replaceWith(template.content);
  const image = document.getElementById('inline-poster');
  if (image === null) return;
  image.className = '';
  document.documentElement.dataset.inlinePoster = '';
}
