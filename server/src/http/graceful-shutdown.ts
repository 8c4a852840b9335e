import { Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ConnectionResponses } from './connection-responses.ts';

const CHECK_INTERVAL_MS = 50;

/** Finishes the requests in progress, and closes connections that are still open after `timeoutMs`. */
export async function shutDownGracefully(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const timeout = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timeout);
  }
}

/**
 * When the app closes, stops listening, and gives each idle connection `drainMs` for one more request.
 * Fastify adds `Connection: close` to its response, so that the client closes the connection. If the service
 * closed idle connections at once, a request that is on its way would be answered with a reset.
 *
 * Then closes the connections that are idle, now or later. `app.close()` alone can wait forever: it does not
 * close connections that become idle later, nor those on which no byte was received. Browsers open such
 * connections in advance.
 */
export function registerConnectionDrain(
  app: FastifyInstance,
  responses: ConnectionResponses,
  drainMs: number,
): void {
  const { server } = app;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    // Stops listening only. The method of the HTTP server closes idle connections as well.
    if (server.listening) Server.prototype.close.call(server);
    const end = performance.now() + drainMs;
    const hasIdle = () => sockets.values().some((socket) => !responses.isBusy(socket));
    while (performance.now() < end && hasIdle()) {
      await sleep(CHECK_INTERVAL_MS);
    }
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const interval = setInterval(() => server.closeIdleConnections(), CHECK_INTERVAL_MS);
    server.once('close', () => clearInterval(interval));
  });
}
