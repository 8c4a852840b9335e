/**
 * Returns the path of the framed document for the URL of a preview link of this service, or undefined.
 *
 * @example parsePreviewLink('https://cloche.example/preview/<id>?link=<link>', 'https://cloche.example')
 *   // '/embed/preview/v1/<id>?link=<link>'
 */
export function parsePreviewLink(text: string, ownOrigin: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || url.origin !== ownOrigin) return undefined;
  const id = /^\/(?:preview|embed\/preview\/v1)\/([0-9a-f-]{36})$/i.exec(url.pathname)?.[1];
  const link = url.searchParams.get('link');
  if (id === undefined || link === null) return undefined;
  return `/embed/preview/v1/${id}?link=${encodeURIComponent(link)}`;
}
