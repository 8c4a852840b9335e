import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { pickOptions, toKebabCase } from './option-names.ts';
import { findPageLanguage } from './page-language.ts';
import { createSdkError } from './sdk-error.ts';
import { defaultService } from './service-origin.ts';

/** Which design to show: `src`, or `design` and `token`. */
export type EmbedSource = {
  /** The URL in the `src` of a snippet, with its token. */
  src?: string | undefined;
  /** The URI `cloche:design:<uuid>`, or the UUID alone. */
  design?: string | undefined;
  /** A public token, `cloche_pk_…`, for the origin of the page. */
  token?: string | undefined;
  /** The origin of the service. Default: the service that has served this script. */
  service?: string | undefined;
};

/**
 * Creates the URL of the framed document.
 *
 * @example createEmbedUrl({ design, token, service: 'https://cloche.example.com', autoRotate: true })
 * @throws {ClocheError} sdk.invalid-source
 */
export function createEmbedUrl(options: EmbedSource & ViewerOptions): string {
  const url = findDocumentUrl(options);
  for (const [name, value] of Object.entries(pickOptions(options)))
    url.searchParams.set(toKebabCase(name), String(value));
  return url.href;
}

/**
 * Creates the URL of the framed document for an element of a page. Without the option `lang`, it is in the language of the page there.
 *
 * @throws {ClocheError} sdk.invalid-source
 */
export function createEmbedUrlFor(element: Element, options: EmbedSource & ViewerOptions): string {
  const lang = options.lang ?? findPageLanguage(element);
  return createEmbedUrl(lang ? { ...options, lang } : options);
}

/** Says whether there is enough for a URL, valid or not. */
export function hasSource({ src, design, token }: EmbedSource): boolean {
  return Boolean(src || (design && token));
}

function findDocumentUrl(source: EmbedSource): URL {
  const { src, design, token, service = defaultService.origin } = source;
  try {
    if (!hasSource(source)) throw new TypeError('Neither src nor design and token.');
    const url = new URL(
      src || `/embed/iframe/v1/${design?.replace(/^cloche:design:/, '')}`,
      src ? globalThis.document?.baseURI : service,
    );
    if (!/^https?:$/.test(url.protocol)) throw new TypeError('Not a URL of a service.');
    if (!src && token) url.searchParams.set('token', token);
    return url;
  } catch {
    // `new URL` says only that the URL is invalid.
    throw createSdkError('sdk.invalid-source');
  }
}
