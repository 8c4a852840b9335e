/** A UUID of version 4 in lower case, as a regular expression for schemas. */
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

/** A design's URI: the id behind `cloche:design:`. */
export const DESIGN_URI_PATTERN = `^cloche:design:${UUID_PATTERN.slice(1)}`;

const DESIGN_URI_PREFIX = 'cloche:design:';

/** Makes the URI a page author uses for a design. */
export function toDesignUri(id: string): string {
  return DESIGN_URI_PREFIX + id;
}

/** Takes the id out of a URI that has been checked against `DESIGN_URI`. */
export function toDesignId(uri: string): string {
  return uri.slice(DESIGN_URI_PREFIX.length);
}
