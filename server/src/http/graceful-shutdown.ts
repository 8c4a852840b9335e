import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Stops listening, finishes what is in flight, and cuts what has not finished at the deadline.
 *
 * `close` alone can wait for ever: a connection that falls idle after its last answer is kept
 * alive, and closing does not look again.
 */
export async function shutDownGracefully(app: FastifyInstance, deadlineMs: number): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  const cut = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/**
 * Cuts, when the app closes, connections on which nothing was ever said: browsers open some ahead
 * of time. To Node they are not idle, and would hold the stop up until its deadline.
 */
export function registerUnusedConnectionCleanup(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}
