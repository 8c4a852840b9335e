import type { FastifyRequest } from 'fastify';
import type { BodyLimits, BodyMonitor } from '../http/body-monitor.ts';
import type { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import type { TokenMonitor } from '../tokens/token-monitor.ts';

/** What ends an upload while its body arrives. */
export type UploadMonitors = {
  bodyMonitor: BodyMonitor;
  tokenMonitor: TokenMonitor;
  uploadBodyLimits: BodyLimits;
  uploadLimiter: ConcurrencyLimiter;
};

/** A signal that aborts with a problem as its reason. */
export type UploadSignal = Disposable & { signal: AbortSignal };

/**
 * Returns a signal that aborts if the body of a request arrives too slowly, or its token becomes invalid.
 * Must be disposed when the body was read.
 *
 * @param advice the last sentence of the problem if the body is too slow
 * @throws {Problem} upload.too-many
 */
export function openUploadSignal(
  { raw, token, session }: FastifyRequest,
  { bodyMonitor, tokenMonitor, uploadBodyLimits, uploadLimiter }: UploadMonitors,
  advice: string,
): UploadSignal {
  const slot = uploadLimiter.acquire(token.id);
  const controller = new AbortController();
  const abort = (problem: Error) => controller.abort(problem);
  bodyMonitor.watch(raw, uploadBodyLimits, { advice, onTimeout: abort });
  const watchedToken = tokenMonitor.watch({ token, session }, abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      bodyMonitor.unwatch(raw);
      watchedToken[Symbol.dispose]();
      slot[Symbol.dispose]();
    },
  };
}
