import type { FastifyInstance } from 'fastify';

/**
 * Stops listening, finishes what is in flight, and cuts what has not finished at the deadline.
 *
 * `close` alone can wait for ever: a connection that falls idle after its last answer is kept
 * alive, and closing does not look again.
 */
export async function stop(app: FastifyInstance, deadlineMs: number): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  const cut = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}
