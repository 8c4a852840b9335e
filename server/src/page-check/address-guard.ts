import ipaddr from 'ipaddr.js';
import { type AddressRange, parseAddressRange } from '../http/client-address.ts';

/** The ports of web sites. Addresses that the operator has allowed may use any port. */
const WEB_PORTS = [80, 443];
/** All public addresses of IPv6 are in this range; ranges of the future are refused. */
const GLOBAL_UNICAST: AddressRange = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Decides which addresses the service may connect to for a check of a page. Everybody with a token can name an address, so
 * those of the network around the service are refused: they often trust each other.
 */
export class AddressGuard {
  readonly #allowed: readonly AddressRange[];

  /** @param allowed ranges that are allowed although they are not public */
  constructor(allowed: readonly AddressRange[]) {
    this.#allowed = allowed;
  }

  /** Says whether the service may connect to an address, without its brackets, at this port. */
  isAllowed(address: string, port: number): boolean {
    const [parsed] = parseAddressRange(address) ?? [];
    if (parsed === undefined) return false;
    if (this.#allowed.some((range) => matches(parsed, range))) return true;
    return WEB_PORTS.includes(port) && isPublic(parsed);
  }
}

/** `parseAddressRange` has turned IPv4-mapped addresses into IPv4 addresses. */
function isPublic(address: AddressRange[0]): boolean {
  // Every range with a special purpose has a name, also those that contain an IPv4 address: NAT64, 6to4, Teredo.
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || matches(address, GLOBAL_UNICAST);
}

function matches(address: AddressRange[0], [network, bits]: AddressRange): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
