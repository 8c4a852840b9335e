import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const IDLE_CHECK_INTERVAL_MS = 50;

/**
 * Stops listening, finishes the requests in progress, and closes connections that are still open after
 * `timeoutMs`.
 *
 * `app.close()` alone can wait forever: it does not close connections that become idle later.
 */
export async function shutDownGracefully(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const interval = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
  const timeout = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await app.close();
  } finally {
    clearInterval(interval);
    clearTimeout(timeout);
  }
}

/**
 * When the app closes, closes the connections on which no byte was received. Browsers open such
 * connections in advance; Node does not consider them idle, so they would delay the shutdown until its
 * timeout.
 */
export function registerUnusedConnectionCleanup(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
}
