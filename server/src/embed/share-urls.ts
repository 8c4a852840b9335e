import type { Artifact, DesignRecord } from '../designs/design.ts';

/** The addresses of a shared design. */
export type ShareUrls = {
  page: string;
  /** The framed document, absolute and as a path. */
  document: string;
  documentPath: string;
  oEmbedJson: string;
  oEmbedXml: string;
};

/** A picture of a shared design, as JPEG. Width and height in pixels. */
export type ShareImage = { url: string; width: number; height: number };

/** The kinds of pictures by the name in their URLs, largest first. */
export const SHARE_IMAGE_KINDS = {
  'image.jpg': 'poster-share',
  'image-small.jpg': 'poster-share-small',
} as const satisfies Record<string, Artifact['kind']>;

/** Returns the addresses of a design, shared or not. */
export function toShareUrls(designId: string, publicOrigin: string): ShareUrls {
  const page = `${publicOrigin}/share/${designId}`;
  const documentPath = `/embed/share/v1/${designId}`;
  const toOEmbedUrl = (format: string) =>
    `${publicOrigin}/oembed?${new URLSearchParams({ url: page, format })}`;
  return {
    page,
    document: publicOrigin + documentPath,
    documentPath,
    oEmbedJson: toOEmbedUrl('json'),
    oEmbedXml: toOEmbedUrl('xml'),
  };
}

/**
 * Returns the pictures of the revision that embeds show, largest first. The number of the revision is in
 * their URLs, because the previews of links keep a picture by its URL.
 */
export function toShareImages(
  { id, revision }: Pick<DesignRecord, 'id' | 'revision'>,
  publicOrigin: string,
): ShareImage[] {
  return Object.entries(SHARE_IMAGE_KINDS).flatMap(([file, kind]) => {
    const artifact = revision?.artifacts.find((candidate) => candidate.kind === kind);
    if (artifact?.width === undefined || artifact.height === undefined) return [];
    const url = `${publicOrigin}/share/${id}/${file}?revision=${revision?.number}`;
    return [{ url, width: artifact.width, height: artifact.height }];
  });
}
