import { UUID_PATTERN } from '@cloche/contract/id';
import { normalizeOptions } from '@cloche/contract/parse-option';
import { Problem } from '@cloche/contract/problem';
import type { DesignRecord } from '../designs/design.ts';
import { escapeHtml } from '../http/escape-html.ts';
import type { PublicHost } from '../http/public-host.ts';
import { createFrameBackground, createIframeHtml } from './iframe-html.ts';
import { type ShareImage, toShareImages, toShareUrls } from './share-urls.ts';
import { chooseAspect } from './snippet.ts';

/** A response of the type `rich` (https://oembed.com), with the names of that specification. */
export type OEmbed = {
  version: '1.0';
  type: 'rich';
  title: string;
  provider_name: string;
  provider_url: string;
  /** Seconds. */
  cache_age: number;
  /** Pixels, like `height`. */
  width: number;
  height: number;
  html: string;
  thumbnail_url?: string;
  thumbnail_width?: number;
  thumbnail_height?: number;
};

/** Pixels. Undefined: no limit. */
export type SizeLimits = { maxWidth: number | undefined; maxHeight: number | undefined };

/** Pixels. */
const DEFAULT_WIDTH = 800;
const CACHE_AGE_SECONDS = 24 * 60 * 60;
const SHARE_PATH = new RegExp(`^/share/(${UUID_PATTERN.replace(/^\^|\$$/g, '')})$`, 'i');

/**
 * Returns the id of the design in the address of a share page of this service. A query is ignored: sites add
 * parameters to links.
 *
 * @throws {Problem} design.not-shared
 */
export function parseShareUrl(text: string, publicHost: PublicHost): string {
  const url = URL.parse(text);
  const isOwn =
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    publicHost.isSameServedOrigin(url.origin, url.host);
  const id = isOwn ? SHARE_PATH.exec(url.pathname)?.[1] : undefined;
  if (id !== undefined) return id.toLowerCase();
  throw new Problem('design.not-shared', {
    field: 'query.url',
    detail: `query.url: must be the address of a share page of this service, such as "${publicHost.origin}/share/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55".`,
  });
}

/** Creates the response for a shared design. */
export function createOEmbed(
  design: DesignRecord,
  limits: SizeLimits,
  publicOrigin: string,
): OEmbed {
  const size = fitSize(chooseAspect(design.revision?.stats.bounds), limits);
  const thumbnail = toShareImages(design, publicOrigin).find((image) => fits(image, limits));
  return {
    version: '1.0',
    type: 'rich',
    title: design.name,
    provider_name: 'Cloche',
    provider_url: publicOrigin,
    cache_age: CACHE_AGE_SECONDS,
    ...size,
    html: renderIframe(design, size, publicOrigin),
    ...(thumbnail && {
      thumbnail_url: thumbnail.url,
      thumbnail_width: thumbnail.width,
      thumbnail_height: thumbnail.height,
    }),
  };
}

/** Serializes a response as XML. Characters that XML cannot contain are left out. */
export function toOEmbedXml(response: OEmbed): string {
  const elements = Object.entries(response).map(
    ([name, value]) => `<${name}>${escapeHtml(String(value).replace(NOT_XML, ''))}</${name}>`,
  );
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>\n${elements.join('\n')}\n</oembed>\n`;
}

/** The characters that are not in `Char` of XML 1.0. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function fitSize(aspect: number, { maxWidth, maxHeight }: SizeLimits) {
  const width = Math.min(
    DEFAULT_WIDTH,
    maxWidth ?? Number.POSITIVE_INFINITY,
    maxHeight === undefined ? Number.POSITIVE_INFINITY : Math.floor(maxHeight * aspect),
  );
  const height = Math.min(Math.round(width / aspect), maxHeight ?? Number.POSITIVE_INFINITY);
  return { width: Math.max(width, 1), height: Math.max(height, 1) };
}

function fits({ width, height }: ShareImage, { maxWidth, maxHeight }: SizeLimits): boolean {
  return (
    width <= (maxWidth ?? Number.POSITIVE_INFINITY) &&
    height <= (maxHeight ?? Number.POSITIVE_INFINITY)
  );
}

/** The attributes are for pages that remove `style`; the style makes the iframe fit a narrow column. */
function renderIframe(
  { id, name, revision, viewer }: DesignRecord,
  size: { width: number; height: number },
  publicOrigin: string,
): string {
  const options = normalizeOptions(viewer);
  const background = createFrameBackground({ revision, options });
  const style = `border:0;max-width:100%;height:auto;aspect-ratio:${size.width}/${size.height};${background}`;
  return createIframeHtml({
    name,
    src: toShareUrls(id, publicOrigin).document,
    options,
    style,
    size,
  });
}
