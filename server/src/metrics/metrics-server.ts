import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../http/logger.ts';
import type { PrometheusMetrics } from './prometheus-metrics.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 16;

/**
 * Serves `GET /metrics` on a port of its own, without a token: it is for the network of the operator, not for visitors.
 * Disposing closes the port.
 */
export async function openMetricsServer(
  metrics: Pick<PrometheusMetrics, 'render'>,
  { port, host, log }: { port: number; host: string; log: Logger },
): Promise<AsyncDisposable & { origin: string }> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, async (request, response) => {
    try {
      if (request.url !== '/metrics' || request.method !== 'GET') {
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
        response.end('The metrics are at GET /metrics.\n');
        return;
      }
      const { text, contentType } = await metrics.render();
      response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
      response.end(text);
    } catch (err) {
      log.error({ err }, 'the metrics cannot be read');
      response.writeHead(503).end();
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ port, host });
  await once(server, 'listening');
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${actualPort}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
