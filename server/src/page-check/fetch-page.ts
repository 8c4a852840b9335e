import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Problem } from '@cloche/contract/problem';
import type { AddressRange } from '../http/client-address.ts';
import { withSignal } from '../http/with-signal.ts';
import { AddressGuard } from './address-guard.ts';
import { parsePageUrl, toHost, toPort } from './page-url.ts';
import { readPageText } from './read-page-text.ts';

/** How pages are fetched. */
export type FetchPageOptions = {
  /** Ranges of addresses that are fetched from although they are not public. */
  allowedAddresses: readonly AddressRange[];
  userAgent: string;
  /** For redirects, connections and the body together. */
  timeoutMs?: number;
  /** Finds the addresses of a host. Default: that of the system. */
  resolve?: (host: string) => Promise<readonly string[]>;
  /** Certificates to trust in addition. Default: none. */
  ca?: string;
};

/** A page as a visitor's browser gets it. */
export type FetchedPage = {
  /** The URL of the page after all redirects. */
  url: URL;
  /** The URLs of the redirects, oldest first. Empty if there is none. */
  redirects: readonly URL[];
  headers: ReadonlyMap<string, readonly string[]>;
  text: string;
};

type Step = Pick<FetchPageOptions, 'userAgent' | 'ca'> & {
  guard: AddressGuard;
  resolve: NonNullable<FetchPageOptions['resolve']>;
  signal: AbortSignal;
};

const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 32 * 1024;
const TIMEOUT_MS = 10_000;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

/**
 * Fetches a page without cookies and credentials. Each host is resolved once, all of its addresses are checked, and the
 * connection is to one of these addresses: a second answer of the DNS server is not asked for.
 *
 * @param signal aborts when nobody waits for the result
 * @throws {Problem} page.url, page.private-address, page.unreachable, page.status, page.redirects, page.not-html,
 *   page.too-large, page.timeout
 */
export async function fetchPage(
  start: URL,
  { allowedAddresses, resolve = resolveHost, timeoutMs = TIMEOUT_MS, ...options }: FetchPageOptions,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const guard = new AddressGuard(allowedAddresses);
  const step = { ...options, guard, resolve, signal: AbortSignal.any([signal, timeout]) };
  try {
    return await followRedirects(start, step);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw createTimeoutError(timeoutMs);
    throw toFetchProblem(error);
  }
}

async function followRedirects(start: URL, step: Step): Promise<FetchedPage> {
  const redirects: URL[] = [];
  let url = start;
  for (;;) {
    const response = await request(url, step);
    try {
      const target = findRedirect(response, url);
      if (target === undefined) {
        assertSuccess(response);
        const headers = toHeaders(response);
        return { url, redirects, headers, text: await readPageText(response, step.signal) };
      }
      redirects.push(target);
      if (redirects.length > MAX_REDIRECTS) throw createRedirectsError();
      url = target;
    } finally {
      response.destroy();
    }
  }
}

/** Sends one request. @throws {Problem} page.private-address; errors of the connection as Node names them */
async function request(url: URL, { guard, resolve, signal, ca, userAgent }: Step) {
  const host = toHost(url);
  const port = toPort(url);
  const addresses = isIP(host) === 0 ? await withSignal(resolve(host), signal) : [host];
  if (addresses.length === 0 || !addresses.every((address) => guard.isAllowed(address, port)))
    throw createAddressError();
  const options: RequestOptions & { autoSelectFamily: boolean } = {
    // A new connection, which no other request uses and no proxy of the environment gets.
    agent: false,
    lookup: createLookup(addresses),
    autoSelectFamily: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    headers: { 'user-agent': userAgent, accept: 'text/html', 'accept-encoding': 'gzip, br' },
  };
  const { promise, resolve: onResponse, reject } = Promise.withResolvers<IncomingMessage>();
  const isSecure = url.protocol === 'https:';
  const sent = isSecure ? https.request(url, { ...options, ca }) : http.request(url, options);
  sent.on('response', onResponse).on('error', reject);
  // After the status 101, Node closes the connection without a response and without an error.
  sent.on('close', () => reject(createConnectionError(undefined)));
  sent.on('socket', (socket) => {
    socket.once('connect', () => {
      if (!guard.isAllowed(socket.remoteAddress ?? '', port)) sent.destroy(createAddressError());
    });
  });
  sent.end();
  return await promise;
}

/** Answers with addresses that are already known and checked. */
function createLookup(addresses: readonly string[]): LookupFunction {
  const all: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? '', first?.family);
  };
}

async function resolveHost(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    // A host that does not exist has no address.
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return [];
    throw error;
  }
}

function findRedirect({ statusCode = 0, headers }: IncomingMessage, base: URL): URL | undefined {
  if (!REDIRECT_STATUSES.includes(statusCode) || headers.location === undefined) return undefined;
  return parsePageUrl(headers.location, base);
}

function assertSuccess({ statusCode = 0 }: IncomingMessage): void {
  if (statusCode >= 200 && statusCode < 300) return;
  throw new Problem('page.status', {
    detail: `The page answers with the status ${statusCode}. Pages that need a login, and pages that refuse programs, cannot be checked.`,
  });
}

function toHeaders({ headersDistinct }: IncomingMessage): Map<string, readonly string[]> {
  return new Map(Object.entries(headersDistinct).map(([name, values = []]) => [name, values]));
}

/** The same for a host that does not exist and for a private one: the answer says nothing about the network here. */
function createAddressError(): Problem {
  return new Problem('page.private-address', {
    field: 'url',
    detail:
      'url: the host of the page, or of one that it redirects to, has no public address at this port. It does not exist, or is in a private network, or the port is another one than 80 and 443.',
  });
}

function createRedirectsError(): Problem {
  return new Problem('page.redirects', {
    detail: `The page redirects more than ${MAX_REDIRECTS} times. Browsers may show it only with cookies, which a check does not have.`,
  });
}

function createTimeoutError(timeoutMs: number): Problem {
  return new Problem('page.timeout', {
    detail: `The page did not arrive completely within ${timeoutMs / 1000} seconds.`,
  });
}

/** Errors of connections, of HTTP, of TLS and of decompression have a code; others are ours. */
function toFetchProblem(cause: unknown): unknown {
  if (cause instanceof Problem) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (typeof code !== 'string') return cause;
  if (code === 'HPE_HEADER_OVERFLOW') {
    const detail = `The headers of the page are larger than ${MAX_HEADER_BYTES / 1024} KiB.`;
    return new Problem('page.too-large', { reason: 'headers', detail, cause });
  }
  if (/CERT|SSL|TLS|SELF_SIGNED/.test(code)) {
    const detail =
      'The page has no valid certificate. Browsers warn of such a page, and may not show it.';
    return new Problem('page.unreachable', { reason: 'certificate', detail, cause });
  }
  return createConnectionError(cause);
}

function createConnectionError(cause: unknown): Problem {
  const detail =
    'The server of the page cannot be reached, or its response is not valid HTTP. Open the page in a browser, without a VPN, to see whether others can.';
  return new Problem('page.unreachable', { reason: 'connection', detail, cause });
}
