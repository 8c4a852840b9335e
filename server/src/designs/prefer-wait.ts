import type { FastifyReply, FastifyRequest } from 'fastify';

/** Maximum wait for one response. Proxies close idle connections after about this time. */
const MAX_WAIT_S = 60;

/** Part of the OpenAPI description of routes that support `Prefer: wait`. */
export const PREFER_WAIT_DESCRIPTION = `The header \`Prefer: wait=30\` (RFC 7240) delays the response until processing has ended, or for that many seconds, ${MAX_WAIT_S} at most.`;

/**
 * Reads the header `Prefer: wait`, and sets `Preference-Applied`. Returns a signal that aborts when the
 * requested time is over, when the client disconnects, or when `shutdown` aborts. Undefined if the
 * client did not request to wait.
 */
export function applyPreferWait(
  request: FastifyRequest,
  reply: FastifyReply,
  shutdown: AbortSignal,
): AbortSignal | undefined {
  const seconds = parseWaitSeconds(request);
  if (seconds === 0) return undefined;
  reply.header('preference-applied', `wait=${seconds}`);
  const disconnected = new AbortController();
  reply.raw.once('close', () => disconnected.abort());
  return AbortSignal.any([AbortSignal.timeout(seconds * 1000), shutdown, disconnected.signal]);
}

function parseWaitSeconds({ headers }: FastifyRequest): number {
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})\b/i.exec(`${headers.prefer ?? ''}`);
  return Math.min(Number(match?.[1] ?? 0), MAX_WAIT_S);
}
