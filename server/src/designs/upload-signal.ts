import type { FastifyRequest } from 'fastify';
import type { BodyLimits, BodyMonitor } from '../http/body-monitor.ts';
import type { TokenMonitor } from '../tokens/token-monitor.ts';

/** What ends an upload while its body arrives. */
export type UploadMonitors = {
  bodyMonitor: BodyMonitor;
  tokenMonitor: TokenMonitor;
  uploadBodyLimits: BodyLimits;
};

/** A signal that aborts with a problem as its reason. */
export type UploadSignal = Disposable & { signal: AbortSignal };

/**
 * Returns a signal that aborts if the body of a request arrives too slowly, or its token becomes invalid.
 * Must be disposed when the body was read.
 *
 * @param advice the last sentence of the problem if the body is too slow
 */
export function openUploadSignal(
  { raw, token }: FastifyRequest,
  { bodyMonitor, tokenMonitor, uploadBodyLimits }: UploadMonitors,
  advice: string,
): UploadSignal {
  const controller = new AbortController();
  const abort = (problem: Error) => controller.abort(problem);
  bodyMonitor.watch(raw, uploadBodyLimits, { advice, onTimeout: abort });
  const watchedToken = tokenMonitor.watch(token.id, abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      bodyMonitor.unwatch(raw);
      watchedToken[Symbol.dispose]();
    },
  };
}
