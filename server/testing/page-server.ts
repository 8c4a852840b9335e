import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type AddressRange, parseAddressRange } from '../src/http/client-address.ts';

/** Options of the app with which pages on this machine can be checked. All host names are those of this machine. */
export const LOOPBACK_FETCHING = {
  allowedAddresses: parseRanges('127.0.0.0/8', '::1'),
  resolve: async () => ['127.0.0.1'],
};

/** Parses address ranges of a test. */
export function parseRanges(...texts: string[]): AddressRange[] {
  return texts.map((text) => {
    const range = parseAddressRange(text);
    assert.ok(range, text);
    return range;
  });
}

/** A web server on this machine. The port is also in `origin`. */
export type PageServer = { port: number; origin: string; requestCount(): number };

/** Opens a web server for `shop.example`; over https if there is a certificate. */
export async function openPageServer(
  t: TestContext,
  handle: RequestListener,
  certificate?: { key: string; cert: string },
): Promise<PageServer> {
  let count = 0;
  const listener: RequestListener = (request, response) => {
    count += 1;
    handle(request, response);
  };
  const server =
    certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const scheme = certificate === undefined ? 'http' : 'https';
  return { port, origin: `${scheme}://shop.example:${port}`, requestCount: () => count };
}
