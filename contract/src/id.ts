/**
 * Regular expression of a UUID version 4, for schemas. Upper and lower case are the same UUID; ids are
 * stored, compared and returned in lower case.
 */
export const UUID_PATTERN =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$';

/** Regular expression of the URI of a design: `cloche:design:` and its id. */
export const DESIGN_URI_PATTERN = `^cloche:design:${UUID_PATTERN.slice(1)}`;

const DESIGN_URI_PREFIX = 'cloche:design:';

/** Returns the URI of a design. @example toDesignUri(id) // 'cloche:design:8b0f6f0e-…' */
export function toDesignUri(id: string): string {
  return DESIGN_URI_PREFIX + id;
}

/** Returns the id in a URI that matches `DESIGN_URI_PATTERN`, in lower case. */
export function toDesignId(uri: string): string {
  return uri.slice(DESIGN_URI_PREFIX.length).toLowerCase();
}
