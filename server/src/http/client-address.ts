import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** A range of addresses, such as of one proxy. */
export type AddressRange = readonly [network: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number];

/** Limit of the header: more entries would be more proxies than anyone has. */
const MAX_FORWARDED_LENGTH = 1000;
const MAX_CACHED = 10_000;
/** Providers give each customer at least this much of IPv6. */
const IPV6_PREFIX_BITS = 64;

/** Parses an address or a CIDR range. IPv4-mapped IPv6 addresses are IPv4 addresses. Undefined if it is neither. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const isRange = text.includes('/');
  if (isRange ? !ipaddr.isValidCIDR(text) : !isAddress(text)) return undefined;
  if (isRange) return toUnmappedRange(ipaddr.parseCIDR(text));
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Addresses of connections are compared as IPv4 where they are mapped, and so are ranges of them. */
function toUnmappedRange([network, bits]: AddressRange): AddressRange {
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress();
  return isMapped && bits >= 96 ? [network.toIPv4Address(), bits - 96] : [network, bits];
}

/**
 * Finds the network that a request comes from: an IPv4 address, or the first 64 bits of an IPv6 address. Behind
 * trusted proxies, it is the last address in `X-Forwarded-For` that is not one of them: a client can write
 * anything before it.
 */
export class ClientAddresses {
  readonly #trusted: readonly AddressRange[];
  /** By the address of the connection, and the header where it is trusted. */
  readonly #cache = new LRUCache<string, string>({
    // Not `max`: the cache would allocate memory for all addresses at once.
    maxSize: MAX_CACHED,
    sizeCalculation: () => 1,
  });

  constructor(trustedProxies: readonly AddressRange[]) {
    this.#trusted = trustedProxies;
  }

  /** Whether a connection comes from a trusted proxy. */
  isTrustedProxy({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): boolean {
    return this.#trusted.length > 0 && this.#isTrusted(remoteAddress);
  }

  find({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    const remote = socket.remoteAddress ?? '';
    const forwarded = this.#trusted.length === 0 ? undefined : headers['x-forwarded-for'];
    if (typeof forwarded !== 'string' || forwarded.length > MAX_FORWARDED_LENGTH)
      return this.#getCached(remote, () => toNetwork(remote));
    return this.#getCached(`${remote} ${forwarded}`, () =>
      toNetwork(this.#findClient(remote, forwarded)),
    );
  }

  /** Each proxy appends the address that it received the request from. */
  #findClient(remote: string, forwarded: string): string {
    let client = remote;
    for (const entry of forwarded.split(',').reverse()) {
      if (!this.#isTrusted(client)) break;
      const address = removePort(entry.trim());
      if (!isAddress(address)) break;
      client = address;
    }
    return client;
  }

  #isTrusted(text: string): boolean {
    if (!isAddress(text)) return false;
    const address = ipaddr.process(text);
    return this.#trusted.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
  }

  #getCached(key: string, compute: () => string): string {
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const value = compute();
    this.#cache.set(key, value);
    return value;
  }
}

/** Short forms such as `127.1` are not addresses here. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** Some proxies write `192.0.2.1:50000` or `[2001:db8::1]:50000`. */
function removePort(text: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
}

function toNetwork(text: string): string {
  if (!isAddress(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(
    `${removeZone(address as ipaddr.IPv6)}/${IPV6_PREFIX_BITS}`,
  ).toString();
}

/** Link-local addresses name the network interface. */
function removeZone(address: ipaddr.IPv6): string {
  return address.toNormalizedString().replace(/%.*$/, '');
}
