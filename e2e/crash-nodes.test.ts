import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { killNodesUnderLoad } from './crash-nodes-cases.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server[Symbol.asyncDispose]());

test('kill -9 of nodes with one folder during 16 writers: nothing acknowledged is lost or duplicated, nothing revoked is accepted', async (t) => {
  const files = join(await openTemporaryDirectory(t), 'files');
  const settings = { CLOCHE_DATABASE_URL: server.url, CLOCHE_FILES: files };
  await killNodesUnderLoad(t, settings, () => join(files, 'drafts'));
});
