import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsync } from 'fastify';
import type { AssetTickets } from './asset-ticket.ts';
import { parseTicketUrl } from './asset-urls.ts';

type TicketRouteDependencies = { tickets: AssetTickets; now: () => Date };

/** The header with the path and query that a visitor requested. */
const ORIGINAL_URI_HEADER = 'x-original-uri';

/**
 * The route that a cache in front of the service asks before each response: 204 if the ticket in the visitor's URL is valid, else 403.
 * It depends only on the key and the time: no query, no file.
 */
export const ticketRoutes: FastifyPluginAsync<TicketRouteDependencies> = async (
  app,
  { tickets, now },
) => {
  app.get(
    '/check',
    { config: { auth: 'public' }, schema: { hide: true } },
    async ({ headers }, reply) => {
      const { [ORIGINAL_URI_HEADER]: uri } = headers;
      const parsed = parseTicketUrl(typeof uri === 'string' ? uri : '');
      if (parsed === undefined)
        throw new Problem('embed.ticket', {
          field: `header.${ORIGINAL_URI_HEADER}`,
          reason: 'missing',
          detail: `The header ${ORIGINAL_URI_HEADER} must be the path and query of a file with its ticket, as the visitor requested it.`,
        });
      tickets.verify(parsed.blob, parsed.ticket, now());
      return reply.code(204).header('cache-control', 'no-store').send();
    },
  );
};
