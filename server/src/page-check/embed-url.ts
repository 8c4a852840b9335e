import { toParameterName, VIEWER_OPTION_NAMES } from '@cloche/contract/viewer-options';
import type { PublicHost } from '../http/public-host.ts';
import { EMBED_PATH, type EmbedElement, VIEWER_ELEMENT } from './page-document.ts';

/** The URL that an element loads, and what it asks for. */
export type EmbedUrl = {
  url: URL;
  /** Whether it is an address of this service, with http or https. */
  isOurs: boolean;
  kind: 'iframe' | 'share';
  /** In lower case, as it is written: it need not be an id. */
  designId: string;
  /** Undefined if there is none, as for a shared design. */
  tokenString: string | undefined;
  /** All other parameters. A parameter that occurs again has its last value. */
  parameters: Readonly<Record<string, string>>;
};

/** What relative URLs and elements without a service refer to. */
export type UrlContext = { base: URL; service: string; publicHost: PublicHost };

/** Finds the URL of an embed. Undefined: there is none, or it is not valid. */
export function findEmbedUrl(element: EmbedElement, context: UrlContext): EmbedUrl | undefined {
  const text = findUrlText(element, context);
  const url = text === undefined ? null : URL.parse(text, context.base.href);
  const [path, kind] = EMBED_PATH.exec(url?.pathname ?? '') ?? [];
  if (url === null || path === undefined) return undefined;
  const { token, ...parameters } = Object.fromEntries(url.searchParams);
  return {
    url,
    isOurs: isAddressOf(context.publicHost, url) && url.pathname.startsWith(path),
    kind: kind === 'share' ? 'share' : 'iframe',
    designId: url.pathname.slice(url.pathname.indexOf(path) + path.length).toLowerCase(),
    tokenString: token,
    parameters,
  };
}

/** Says whether the attribute that browsers load is missing: a script can copy another one to it. */
export function isUrlInOtherAttribute({ name, attributes }: EmbedElement): boolean {
  if (name === VIEWER_ELEMENT) return false;
  return !EMBED_PATH.test(attributes.get(name === 'object' ? 'data' : 'src') ?? '');
}

function findUrlText({ name, attributes }: EmbedElement, context: UrlContext): string | undefined {
  if (name === VIEWER_ELEMENT) return findViewerUrl(attributes, context);
  const loaded = attributes.get(name === 'object' ? 'data' : 'src') ?? '';
  return [loaded, ...attributes.values()].find((value) => EMBED_PATH.test(value));
}

/** As the element of the SDK does it. */
function findViewerUrl(
  attributes: ReadonlyMap<string, string>,
  { base, service }: UrlContext,
): string | undefined {
  const src = attributes.get('src');
  const design = attributes.get('design')?.replace(/^cloche:design:/, '');
  const token = attributes.get('token');
  if (!src && !(design && token)) return undefined;
  const origin = attributes.get('service') ?? service;
  const url = src ? URL.parse(src, base.href) : URL.parse(`/embed/iframe/v1/${design}`, origin);
  if (url === null) return undefined;
  if (!src && token) url.searchParams.set('token', token);
  for (const name of VIEWER_OPTION_NAMES.map(toParameterName)) {
    const value = attributes.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

/** Says whether a URL is one of the service, with its scheme or the other one. */
export function isAddressOf(publicHost: PublicHost, { origin, protocol, host }: URL): boolean {
  const otherScheme = protocol === 'https:' ? 'http' : 'https';
  return publicHost.servesOrigin(origin) || publicHost.servesOrigin(`${otherScheme}://${host}`);
}
