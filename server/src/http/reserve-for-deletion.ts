import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { recycleWal } from '../database/sqlite.ts';
import type { Reserve } from '../disk/disk-reserve.ts';

/**
 * Lets every DELETE request use the disk reserve: tokens can be revoked and designs deleted when the disk
 * is full. A handler may run several times; deleting twice has no further effect.
 */
export function registerReserveForDeletion(
  app: FastifyInstance,
  { reserve, database }: { reserve: Reserve; database: Database },
): void {
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('DELETE')) return;
    const { handler } = route;
    route.handler = function (request, reply) {
      const handle = async () => handler.call(this, request, reply);
      return reserve.run(handle, () => recycleWal(database));
    };
  });
}
