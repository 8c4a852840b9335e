/** The parts of a listed origin. `port` is empty for the default port, and `*` for any port. */
export type OriginParts = {
  scheme: 'http' | 'https';
  wildcard: boolean;
  host: string;
  port: string;
};

const CANONICAL_ORIGIN =
  /^(?<scheme>https?):\/\/(?<star>\*\.(?=[^.]+\.))?(?<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(?<port>[1-9]\d{0,4}|\*))?$/;

/**
 * Splits a canonical origin into its parts.
 *
 * Used before an origin is written into a header or compared with another. A text that `parseOrigin`
 * did not return is an error, even if it comes from the database.
 *
 * @example toOriginParts('https://*.shop.example') // { scheme: 'https', wildcard: true, host: 'shop.example', port: '' }
 */
export function toOriginParts(origin: string): OriginParts {
  const groups = CANONICAL_ORIGIN.exec(origin)?.groups;
  if (groups === undefined) throw new RangeError('The listed origin is not canonical.');
  return {
    scheme: groups.scheme === 'http' ? 'http' : 'https',
    wildcard: groups.star !== undefined,
    host: groups.host ?? '',
    port: groups.port ?? '',
  };
}
