/** Regular expression of a UUID version 4 in lower case, for schemas. */
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

/** Regular expression of the URI of a design: `cloche:design:` and its id. */
export const DESIGN_URI_PATTERN = `^cloche:design:${UUID_PATTERN.slice(1)}`;

const DESIGN_URI_PREFIX = 'cloche:design:';

/** Returns the URI of a design. @example toDesignUri(id) // 'cloche:design:8b0f6f0e-…' */
export function toDesignUri(id: string): string {
  return DESIGN_URI_PREFIX + id;
}

/** Returns the id in a URI that matches `DESIGN_URI_PATTERN`. */
export function toDesignId(uri: string): string {
  return uri.slice(DESIGN_URI_PREFIX.length);
}
