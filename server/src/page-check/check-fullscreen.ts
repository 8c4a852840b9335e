import type { PageFinding } from '@cloche/contract/page-check';
import type { EmbedInPage } from './check-page-policy.ts';
import { createFinding } from './finding.ts';

/** Checks whether the iframe may use fullscreen: the attribute `allow`, and the Permissions-Policy of the page. */
export function checkFullscreen({ element, embedUrl, page }: EmbedInPage): PageFinding[] {
  const { origin } = embedUrl.url;
  const header = (page.headers.get('permissions-policy') ?? []).join(',');
  const list = /(?:^|[,\s])fullscreen\s*=\s*(\*|\([^)]*\)|[\w-]+)/.exec(header)?.[1];
  if (list !== undefined && list !== '*' && !isInList(list, origin)) {
    return [
      createFinding('frame.fullscreen', {
        detail: `The Permissions-Policy of the page has "fullscreen=${list.slice(0, 200)}", which does not include ${origin}.`,
        fix: `Write this into the header: fullscreen=(self "${origin}")`,
      }),
    ];
  }
  if (element.name !== 'iframe' || allowsFullscreen(element.attributes, origin)) return [];
  return [
    createFinding('frame.fullscreen', {
      detail: `The attribute allow of the iframe does not allow fullscreen for ${origin}.`,
      fix: 'Write allow="fullscreen; xr-spatial-tracking".',
    }),
  ];
}

/** A list is like `(self "https://cloche.example.com")`. */
function isInList(list: string, origin: string): boolean {
  const items = list.slice(1, -1).split(/\s+/);
  return items.includes('*') || items.includes(`"${origin}"`);
}

/** A directive is like `fullscreen 'self' https://cloche.example.com`. Without a list, it is for the origin of `src`. */
function allowsFullscreen(attributes: ReadonlyMap<string, string>, origin: string): boolean {
  const directive = (attributes.get('allow') ?? '')
    .split(';')
    .map((text) => text.trim().toLowerCase().split(/\s+/))
    .find(([feature]) => feature === 'fullscreen');
  if (directive === undefined) return attributes.has('allowfullscreen');
  const [, ...allowed] = directive;
  return (
    allowed.length === 0 ||
    allowed.some((item) => ['*', "'src'"].includes(item) || URL.parse(item)?.origin === origin)
  );
}
