import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { DiskBlobStore } from '../src/blobs/disk-blob-store.ts';
import type { Database } from '../src/database/database.ts';
import { openPostgres } from '../src/database/postgres.ts';
import { createInitialUser } from '../src/startup/bootstrap-token.ts';
import { openTestServer, type TestServer, type TestServerOptions } from './harness.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { USES_POOLER } from './postgres-run.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { createPostgresDatabase, createTemplate } from './test-database.ts';

/** A service, and its connections to the database. */
export type NodeService = TestServer & { database: Database };

/** How a node connects to a database: through a pooler, if the tests do. */
export type NodeConnection = { url: string; isPooled: boolean };

export type PostgresNodes = {
  server: PostgresServer;
  /** Creates a database, and returns how nodes connect to it. */
  createDatabase(): Promise<NodeConnection>;
  /** Opens an empty database as several nodes would, each with a pool of its own. */
  openNodes(
    t: TestContext,
    count: number,
    maxConnections?: number,
  ): Promise<[Database, ...Database[]]>;
  /** Opens two services with one empty database and one blob store. */
  openServices(t: TestContext, options?: TestServerOptions): Promise<[NodeService, NodeService]>;
};

/** Starts a PostgreSQL server for the tests of a file, whatever database the other tests use; and a pooler, if they use one. */
export function usePostgresNodes(): PostgresNodes {
  const nodes: Partial<PostgresNodes> = {};
  const resources = new AsyncDisposableStack();
  let pooler: PgBouncer | undefined;
  before(async () => {
    nodes.server = resources.use(await startPostgresServer());
    await createTemplate(nodes.server.url);
    if (USES_POOLER) pooler = resources.use(await startPgBouncer(nodes.server.url));
  });
  after(() => resources.disposeAsync());
  const createDatabase = async () => {
    const url = await createPostgresDatabase(nodes.server?.url ?? '');
    return { url: pooler?.toUrl(url) ?? url, isPooled: pooler !== undefined };
  };
  nodes.createDatabase = createDatabase;
  nodes.openNodes = async (t, count, maxConnections = 4) => {
    const connection = await createDatabase();
    const opened = Array.from({ length: count }, () =>
      openPostgres({ ...connection, onError: () => {}, maxConnections }),
    );
    t.after(() => Promise.all(opened.map((node) => node.destroy())));
    return opened as [Database, ...Database[]];
  };
  nodes.openServices = async (t, options) =>
    openServicesOf(t, await (nodes as PostgresNodes).openNodes(t, 2, 8), options);
  return nodes as PostgresNodes;
}

async function openServicesOf(
  t: TestContext,
  databases: [Database, ...Database[]],
  options: TestServerOptions = {},
): Promise<[NodeService, NodeService]> {
  let token = '';
  await createInitialUser(databases[0], new Date(), async (tokenString) => {
    token = tokenString;
  });
  const folder = await mkdtemp(join(tmpdir(), 'cloche-'));
  const blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  const services: NodeService[] = [];
  for (const [index, database] of databases.entries()) {
    const service = await openTestServer(t, { database, blobs, nodeId: `n${index}`, ...options });
    services.push({ ...service, token, database });
  }
  // Hooks run in their order: the services, which write to it, are closed before.
  t.after(() => rm(folder, { recursive: true, force: true }));
  return services as [NodeService, NodeService];
}
