import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket } from '../scripts/radosgw/create-bucket.ts';
import { type RadosGateway, startRadosGateway } from '../scripts/radosgw/radosgw.ts';
import { startPostgresServer } from '../server/testing/postgres-server.ts';
import { createPostgresDatabase, createTemplate } from '../server/testing/test-database.ts';

/** A bucket and a PostgreSQL server, which nodes share. Disposing stops both servers. */
export type SharedServers = AsyncDisposable & {
  gateway: RadosGateway;
  /** Returns the settings of nodes with a new database, and a folder of the bucket. */
  createSettings(prefix: string): Promise<Record<string, string> & { CLOCHE_DATABASE_URL: string }>;
};

/** Starts an S3 server with a bucket, and a PostgreSQL server. */
export async function startSharedServers(bucketName: string): Promise<SharedServers> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'radosgw-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const gateway = resources.use(await startRadosGateway(folder));
  const bucket = await createBucket(gateway, bucketName);
  const server = resources.use(await startPostgresServer());
  await createTemplate(server.url);
  const opened = resources.move();
  return {
    gateway,
    createSettings: async (prefix) => ({
      ...bucket,
      CLOCHE_S3_URL: `${bucket.CLOCHE_S3_URL}/${prefix}`,
      CLOCHE_DATABASE_URL: await createPostgresDatabase(server.url),
    }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
