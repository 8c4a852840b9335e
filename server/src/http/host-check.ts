import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PublicHost } from './public-host.ts';

/** Refuses requests for other hosts. Register it before every other hook that may refuse requests. */
export function registerHostCheck(app: FastifyInstance, publicHost: PublicHost): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const problem = findHostProblem(request, publicHost);
    if (problem !== undefined) throw problem;
    done();
  });
}

function findHostProblem(request: FastifyRequest, publicHost: PublicHost): Problem | undefined {
  const { raw } = request;
  const count = countHostHeaders(raw.rawHeaders);
  const targetHost = findTargetHost(raw.url ?? '');
  const host = targetHost ?? raw.headers.host ?? '';
  if (count === 1 && publicHost.matchesHost(host)) return undefined;

  // Read last: Fastify creates `routeOptions` at each access.
  const { anyHost = false, formerHosts = false } = request.routeOptions.config;
  if (anyHost) return undefined;
  if (count !== 1) {
    return new Problem('request.ambiguous-host', {
      field: 'header.host',
      detail: `The request has ${count} Host headers; it must have exactly one.`,
    });
  }
  if (publicHost.matchesHost(host.toLowerCase())) return undefined;
  const isFormer = publicHost.matchesFormerHost(host.toLowerCase());
  if (isFormer && formerHosts) return undefined;
  return new Problem('request.wrong-host', {
    field: targetHost === undefined ? 'header.host' : 'url',
    detail: isFormer
      ? `This address of the service serves only existing embeds. Use ${publicHost.origin} instead.`
      : 'This service does not serve the host that the request names. Operator: set CLOCHE_PUBLIC_URL to the address that people use, and let the proxy forward the Host header.',
  });
}

/**
 * Finds the host and port in a request target in absolute form, `GET http://host/path`. It takes
 * precedence over the Host header (RFC 9112 §3.2.2), and the router ignores it. Undefined for the usual
 * form, `GET /path`.
 */
function findTargetHost(target: string): string | undefined {
  if (target.startsWith('/')) return undefined;
  return /^https?:\/\/([^/?]*)/i.exec(target)?.[1];
}

/** Counts in the raw headers, a list of names and values in turn: `headers` has only the first Host. */
function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
