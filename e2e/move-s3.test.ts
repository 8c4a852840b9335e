import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { skipWithout } from '../scripts/optional-programs.ts';
import { createBucket } from '../scripts/radosgw/create-bucket.ts';
import { type RadosGateway, startRadosGateway } from '../scripts/radosgw/radosgw.ts';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { createPostgresDatabase, createTemplate } from '../server/testing/test-database.ts';
import { ApiClient } from './api-client.ts';
import { changeSettings } from './change-settings.ts';
import { ServiceProcess } from './service-process.ts';

describe('an installation with a bucket', { skip: skipWithout('radosgw') }, () => {
  let folder: string;
  let gateway: RadosGateway;
  let postgres: PostgresServer;
  let bucket: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'radosgw-'));
    gateway = await startRadosGateway(folder);
    bucket = await createBucket(gateway, 'designs');
    postgres = await startPostgresServer();
    await createTemplate(postgres.url);
  });

  after(async () => {
    await postgres?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (environment: NodeJS.ProcessEnv, ...args: string[]) => {
    const result = await runClocheServer(args, environment);
    assert.equal(result.status, 0, result.stderr);
    return result;
  };

  it('is moved to PostgreSQL and the bucket, backed up, restored to a folder, and moved back', async (t) => {
    const service = await ServiceProcess.open(t, {});
    const { dataDirectory } = service;
    const api = await ApiClient.create(service);
    const ids: string[] = [];
    for (const color of [0, 1] as const)
      ids.push((await api.upload(makeBox({ color: [color, 0, 1] }))).body.id);
    await service.stop('SIGTERM');
    const old = { CLOCHE_DATA: dataDirectory };
    const url = await createPostgresDatabase(postgres.url);
    const s3Url = `${bucket.CLOCHE_S3_URL}/moved`;
    const target = {
      CLOCHE_TO_S3_KEY: bucket.CLOCHE_S3_KEY,
      CLOCHE_TO_S3_SECRET: bucket.CLOCHE_S3_SECRET,
    };
    const toBucket = ['move', '--to-database', url, '--to-s3', s3Url];
    const printed = await run({ ...old, ...target }, ...toBucket);
    const oldReport = JSON.parse((await run(old, 'verify', '--json')).stdout);

    const { CLOCHE_S3_KEY, CLOCHE_S3_SECRET } = bucket;
    const moved: Record<string, string> = {
      ...(await changeSettings(old, printed.stderr)),
      CLOCHE_S3_KEY: CLOCHE_S3_KEY ?? assert.fail(),
      CLOCHE_S3_SECRET: CLOCHE_S3_SECRET ?? assert.fail(),
    };
    const inBucket = await ServiceProcess.open(t, moved);
    await inBucket.stop('SIGTERM');
    const report = JSON.parse((await run(moved, 'verify', '--json')).stdout);
    assert.deepEqual(report.rows, oldReport.rows);
    assert.deepEqual(report.blobs, oldReport.blobs);
    assert.equal(JSON.parse((await run(moved, 'gc', '--json')).stdout).count, 0);
    const backup = join(folder, 'backup');
    await run(moved, 'backup', backup);
    const restored = { CLOCHE_DATA: join(folder, 'restored') };
    await run(restored, 'restore', backup);
    await run(restored, 'verify');
    const restoredToBucket = {
      ...moved,
      CLOCHE_S3_URL: `${bucket.CLOCHE_S3_URL}/restored`,
      CLOCHE_DATABASE_URL: await createPostgresDatabase(postgres.url),
    };
    await run(restoredToBucket, 'restore', backup);
    await run(restoredToBucket, 'verify');

    const back = join(folder, 'back');
    const files = join(back, 'blobs');
    const backwards = await run(moved, 'move', '--to-database', back, '--to-files', files);
    const backReport = JSON.parse((await run({ CLOCHE_DATA: back }, 'verify', '--json')).stdout);
    assert.deepEqual(backReport, { ...oldReport, unreferenced: backReport.unreferenced });
    const settings = await changeSettings(moved, backwards.stderr);
    const restarted = await ServiceProcess.open(t, settings);
    const client = await ApiClient.create({
      origin: restarted.origin,
      readBootstrapToken: () => service.readBootstrapToken(),
    });
    for (const id of ids) assert.equal((await client.getDesign(id)).status, 'ready');
  });
});
