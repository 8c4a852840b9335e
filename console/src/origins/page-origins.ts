/**
 * Reads the origins of pages from what an owner types: addresses of pages or sites, separated by spaces or
 * commas. `shop.example/chairs` is taken as https, a loopback host as http. The service checks the
 * result, so a text that is not an address is returned unchanged.
 */
export function parsePageOrigins(text: string): string[] {
  const addresses = text.split(/[\s,]+/).filter((part) => part !== '');
  return [...new Set(addresses.map(toOrigin))];
}

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|[\w-]+\.localhost)(?=[:/]|$)/i;
/** Wildcards are allowed in origins, but not in URLs. */
const WILDCARD = /^https?:\/\/(\*\.[\w.-]+(:\d+)?|[\w.-]+:\*)$/i;

function toOrigin(address: string): string {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(address);
  const scheme = LOOPBACK_HOST.test(address) ? 'http' : 'https';
  const url = hasScheme ? address : `${scheme}://${address}`;
  if (WILDCARD.test(url)) return url.toLowerCase();
  if (address.includes('*')) return address;
  const isWebPage = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return isWebPage ? new URL(url).origin : address;
}
