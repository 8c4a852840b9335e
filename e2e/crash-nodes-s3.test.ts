import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { skipWithout } from '../scripts/optional-programs.ts';
import { killNodesUnderLoad } from './crash-nodes-cases.ts';
import { type SharedServers, startSharedServers } from './nodes-with-bucket.ts';

describe('kill -9 of nodes with one bucket', { skip: skipWithout('radosgw') }, () => {
  let servers: SharedServers;

  before(async () => {
    servers = await startSharedServers('crashes');
  });
  after(() => servers?.[Symbol.asyncDispose]());

  it('loses and duplicates nothing of 16 writers, and accepts nothing revoked', async (t) => {
    const settings = await servers.createSettings('nodes');
    await killNodesUnderLoad(t, settings, ({ dataDirectory }) =>
      join(dataDirectory, 'blobs', 'drafts'),
    );
  });
});
