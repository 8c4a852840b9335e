import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Database } from '../database/database.ts';

const Health = Type.Object({ ok: Type.Literal(true) });

/** What the operator may want to improve, although the service can serve requests. */
const Readiness = Type.Object({
  ok: Type.Literal(true),
  sandbox: Type.Object({
    level: Type.String({ description: 'How processing is isolated: `strict` or `reduced`.' }),
    missing: Type.Array(Type.String(), {
      description: 'The protections that this system does not have.',
    }),
  }),
  events: Type.Optional(
    Type.Object(
      {
        current: Type.Boolean({
          description: 'If not, nothing is cached: requests are slower, and use the database.',
        }),
        lagMs: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
          description: 'Changes of other nodes until so long ago are known. Null: none yet.',
        }),
      },
      { description: 'With PostgreSQL: whether this node knows what other nodes have changed.' },
    ),
  ),
});
export type Readiness = Static<typeof Readiness>;

/** How current the caches are. */
type EventLag = { isCurrent(): boolean; getLagMs(): number };

/** `/livez`: the process runs. `/readyz`: it can serve requests, and is not shutting down. */
export function healthRoutes(
  app: FastifyInstance,
  {
    database,
    sandbox,
    events,
  }: { database: Database; sandbox: Readiness['sandbox']; events: EventLag | undefined },
): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  const config = { auth: 'public', anyHost: true } as const;

  app.get(
    '/livez',
    {
      config,
      schema: {
        summary: 'Check that the process runs',
        tags: ['health'],
        response: { 200: Health },
      },
    },
    async () => ({ ok: true }) as const,
  );

  app.get(
    '/readyz',
    {
      config,
      schema: {
        summary: 'Check that the service can serve requests',
        tags: ['health'],
        response: { 200: Readiness },
      },
    },
    async () => {
      if (stopping)
        throw new Problem('server.unavailable', { detail: 'The service is shutting down.' });
      try {
        await sql`SELECT 1`.execute(database);
      } catch (cause) {
        throw new Problem('server.unavailable', {
          detail: 'The database does not respond.',
          cause,
        });
      }
      return { ok: true, sandbox, ...(events && { events: toLag(events) }) } as const;
    },
  );
}

function toLag(events: EventLag): NonNullable<Readiness['events']> {
  const lagMs = events.getLagMs();
  return {
    current: events.isCurrent(),
    lagMs: Number.isFinite(lagMs) ? Math.max(0, Math.round(lagMs)) : null,
  };
}
