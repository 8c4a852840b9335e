import type { FastifyReply, FastifyRequest } from 'fastify';

/** Nobody waits longer for one answer; proxies cut connections soon after. */
const MAX_WAIT_S = 60;

/** For the description of routes that can wait. */
export const PREFER_WAIT_DESCRIPTION = `The header \`Prefer: wait=30\` (RFC 7240) asks for an answer when processing has ended, or after so many seconds, ${MAX_WAIT_S} at most.`;

/** Makes the signals that end a client's wait; `stopping` ends them all. */
export function createPreferWait(stopping: AbortSignal) {
  /** Undefined for a client that would not wait; for others it says in the answer that it will. */
  return (request: FastifyRequest, reply: FastifyReply): AbortSignal | undefined => {
    const ms = applyPreferWait(request, reply);
    if (ms === 0) return undefined;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return AbortSignal.any([AbortSignal.timeout(ms), stopping, gone.signal]);
  };
}

function applyPreferWait({ headers }: FastifyRequest, reply: FastifyReply): number {
  const wish = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})\b/i.exec(`${headers.prefer ?? ''}`);
  const seconds = Math.min(Number(wish?.[1] ?? 0), MAX_WAIT_S);
  if (seconds > 0) reply.header('preference-applied', `wait=${seconds}`);
  return seconds * 1000;
}
