import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const LOOPBACK = /^(localhost|[a-z0-9-]+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Who we are to the world: the origin of every address we give out. */
export class PublicHost {
  readonly origin: string;
  readonly #host: string;
  readonly #port: string;
  readonly #isLoopback: boolean;

  /** @param origin as configured: scheme, host and port, nothing behind. */
  constructor(origin: string) {
    const url = new URL(origin);
    this.origin = url.origin;
    this.#host = url.host;
    this.#port = url.port;
    this.#isLoopback = LOOPBACK.test(url.hostname);
  }

  /** Is the request meant for us? The names of loopback count as one host. */
  matchesHost(host: string): boolean {
    if (host === this.#host) return true;
    if (!this.#isLoopback) return false;
    const { name, port } = splitHost(host);
    return LOOPBACK.test(name) && port === this.#port;
  }

  /** Is it one of our own pages that asks? `origin` as a browser sends it. */
  isSameOrigin(origin: string): boolean {
    if (origin === this.origin) return true;
    const scheme = this.origin.slice(0, this.origin.indexOf('//') + 2);
    return origin.startsWith(scheme) && this.matchesHost(origin.slice(scheme.length));
  }
}

/** Refuses requests for other hosts, before anything else looks at them. */
export function registerHostCheck(app: FastifyInstance, publicHost: PublicHost): void {
  app.addHook('onRequest', (request, _reply, done) => {
    // The route is looked at last, for Fastify describes it anew each time it is asked.
    const fault = findHostProblem(request, publicHost);
    if (fault !== undefined && !request.routeOptions.config.anyHost) throw fault;
    done();
  });
}

function findHostProblem(
  { raw, headers }: FastifyRequest,
  publicHost: PublicHost,
): Problem | undefined {
  const names = countHostHeaders(raw.rawHeaders);
  if (names !== 1) {
    return new Problem('request.ambiguous-host', {
      field: 'header.host',
      detail: `The request has ${names} Host headers; it must have exactly one.`,
    });
  }
  const { host = '' } = headers;
  if (publicHost.matchesHost(host) || publicHost.matchesHost(host.toLowerCase())) return undefined;
  return new Problem('request.wrong-host', {
    field: 'header.host',
    detail:
      'This service does not answer for the host in the request. Operator: set CLOCHE_PUBLIC_URL to the address people use, and let the proxy pass the Host header on.',
  });
}

/** Names are at even places. Node keeps the first of two in `headers`, so these must be counted. */
function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

function splitHost(host: string): { name: string; port: string } {
  const [, name = '', port = ''] = /^(\[[0-9a-f:]+\]|[^:]*)(?::(\d+))?$/.exec(host) ?? [];
  return { name, port };
}
