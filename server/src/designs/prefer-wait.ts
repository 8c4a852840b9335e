import type { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createClientSignal } from '../http/on-client-closed.ts';
import type { TokenMonitor } from '../tokens/token-monitor.ts';

/** Maximum wait for one response. Proxies close idle connections after about this time. */
const MAX_WAIT_S = 60;

/** Part of the OpenAPI description of routes that support `Prefer: wait`. */
export const PREFER_WAIT_DESCRIPTION = `The header \`Prefer: wait=30\` (RFC 7240) delays the response until processing has ended, or for that many seconds, ${MAX_WAIT_S} at most.`;

/** What ends a wait early. */
export type WaitDependencies = { shutdown: AbortSignal; tokenMonitor: TokenMonitor };

/**
 * Waits as the header `Prefer: wait` says, and sets `Preference-Applied`. `wait` receives a signal that aborts
 * when the requested time is over, when the client disconnects, or at a shutdown. Returns undefined without
 * the header.
 *
 * @throws {Problem} token.revoked, token.expired, token.user-disabled: the token became invalid meanwhile
 */
export async function applyPreferWait<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { shutdown, tokenMonitor }: WaitDependencies,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const seconds = parseWaitSeconds(request);
  if (seconds === 0) return undefined;
  reply.header('preference-applied', `wait=${seconds}`);
  const tokenEnded = new AbortController();
  let tokenProblem: Problem | undefined;
  using _token = tokenMonitor.watch(request, (problem) => {
    tokenProblem = problem;
    tokenEnded.abort();
  });
  const timeout = AbortSignal.timeout(seconds * 1000);
  const signals = [timeout, shutdown, tokenEnded.signal, createClientSignal(reply.raw)];
  const result = await wait(AbortSignal.any(signals));
  if (tokenProblem !== undefined) throw tokenProblem;
  return result;
}

function parseWaitSeconds({ headers }: FastifyRequest): number {
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})\b/i.exec(`${headers.prefer ?? ''}`);
  return Math.min(Number(match?.[1] ?? 0), MAX_WAIT_S);
}
