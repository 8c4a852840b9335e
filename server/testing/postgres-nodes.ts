import { after, before, type TestContext } from 'node:test';
import type { Database } from '../src/database/database.ts';
import { openPostgres } from '../src/database/postgres.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { createPostgresDatabase, createTemplate } from './test-database.ts';

export type PostgresNodes = {
  server: PostgresServer;
  /** Opens an empty database as several nodes would, each with a pool of its own. */
  openNodes(
    t: TestContext,
    count: number,
    maxConnections?: number,
  ): Promise<[Database, ...Database[]]>;
};

/** Starts a PostgreSQL server for the tests of a file, whatever database the other tests use. */
export function usePostgresNodes(): PostgresNodes {
  const nodes: Partial<PostgresNodes> = {};
  before(async () => {
    const server = await startPostgresServer();
    await createTemplate(server.url);
    nodes.server = server;
  });
  after(() => nodes.server?.[Symbol.asyncDispose]());
  nodes.openNodes = async (t, count, maxConnections = 4) => {
    const url = await createPostgresDatabase(nodes.server?.url ?? '');
    const opened = Array.from({ length: count }, () =>
      openPostgres({ url, onError: () => {}, maxConnections }),
    );
    t.after(() => Promise.all(opened.map((node) => node.destroy())));
    return opened as [Database, ...Database[]];
  };
  return nodes as PostgresNodes;
}
