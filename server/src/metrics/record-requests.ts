import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/** Counts every request when its response is complete or its connection is closed. */
export function recordRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    const startMs = performance.now();
    let isCounted = false;
    const count = (aborted: boolean) => {
      if (isCounted) return;
      isCounted = true;
      metrics.countRequest({
        method: request.method,
        route: request.routeOptions.url,
        status: raw.statusCode,
        problemCode: request.problemCode,
        aborted,
        durationMs: performance.now() - startMs,
      });
    };
    raw.once('finish', () => count(false));
    raw.once('close', () => count(true));
    done();
  });
}
