import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { createBucket } from '../../scripts/radosgw/create-bucket.ts';
import { type RadosGateway, startRadosGateway } from '../../scripts/radosgw/radosgw.ts';
import type { S3Settings } from '../src/blobs/s3-settings.ts';
import { readConfig } from '../src/config.ts';

/** An S3 server, and the settings of a service that stores its files in an empty bucket of it. */
export type S3TestServer = { gateway: RadosGateway; settings: S3Settings };

/** Starts an S3 server for the tests of a suite. Needs the program radosgw. */
export function useS3Server(): S3TestServer {
  const server: Partial<S3TestServer> = {};
  const resources = new AsyncDisposableStack();
  before(async () => {
    const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'radosgw-')));
    server.gateway = resources.use(await startRadosGateway(folder.path));
    const environment = await createBucket(server.gateway, 'designs');
    server.settings = readConfig(environment).s3 ?? assert.fail();
  });
  after(() => resources.disposeAsync());
  return server as S3TestServer;
}
