import type { FastifyReply, FastifyRequest } from 'fastify';

/** Nobody waits longer for one answer; proxies cut connections soon after. */
const LONGEST_S = 60;

/** For the description of routes that can wait. */
export const PREFER = `The header \`Prefer: wait=30\` (RFC 7240) asks for an answer when processing has ended, or after so many seconds, ${LONGEST_S} at most.`;

/** How long the client would like to wait for what it asks; 0: not at all. Says so in the answer. */
export function wishedWaitMs({ headers }: FastifyRequest, reply: FastifyReply): number {
  const wish = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})\b/i.exec(`${headers.prefer ?? ''}`);
  const seconds = Math.min(Number(wish?.[1] ?? 0), LONGEST_S);
  if (seconds > 0) reply.header('preference-applied', `wait=${seconds}`);
  return seconds * 1000;
}
