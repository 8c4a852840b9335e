import type { FastifyInstance } from 'fastify';

/**
 * Reads and drops what still comes of a body when its request is answered, so that the client gets to
 * read the answer; not for ever, or a body that never comes would hold its connection.
 */
export function dropTheRest(app: FastifyInstance, deadlineMs: number): void {
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) {
      raw.unpipe();
      raw.resume();
      const timer = setTimeout(() => raw.destroy(), deadlineMs).unref();
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}
