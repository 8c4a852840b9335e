import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const SWEEP_INTERVAL_MS = 50;

/**
 * Stops listening, finishes the requests in progress, and closes connections that are still open at
 * the deadline.
 *
 * `app.close()` alone can wait forever: it does not close connections that become idle later.
 */
export async function shutDownGracefully(app: FastifyInstance, deadlineMs: number): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_INTERVAL_MS);
  const deadline = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(deadline);
  }
}

/**
 * Closes connections that never received a byte when the app closes. Browsers open some in advance;
 * Node does not consider them idle, so they would delay the shutdown until its deadline.
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
