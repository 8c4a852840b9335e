import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { startPostgresServer } from '../server/testing/postgres-server.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { createPostgresDatabase, createTemplate } from '../server/testing/test-database.ts';
import { ApiClient } from './api-client.ts';
import { changeSettings } from './change-settings.ts';
import { ServiceProcess } from './service-process.ts';

/** Starts the service with one design, and stops it. */
async function createInstallation(t: TestContext) {
  const service = await ServiceProcess.open(t);
  const client = await ApiClient.create(service);
  const { body } = await client.upload(makeBox());
  await service.stop('SIGTERM');
  return { service, settings: { CLOCHE_DATA: service.dataDirectory }, id: body.id };
}

test('the service starts with the settings that each move prints', async (t) => {
  await using server = await startPostgresServer();
  await createTemplate(server.url);
  const folder = await openTemporaryDirectory(t);
  const { service, settings, id } = await createInstallation(t);
  const moves: string[][] = [
    ['--to-files', join(folder, 'files')],
    ['--to-database', await createPostgresDatabase(server.url)],
    ['--to-database', join(folder, 'b'), '--to-files', join(folder, 'b', 'blobs')],
    ['--to-database', join(folder, 'c')],
    [
      ...['--to-database', await createPostgresDatabase(server.url)],
      ...['--to-files', join(folder, 'files-2')],
    ],
    ['--to-database', await createPostgresDatabase(server.url)],
  ];
  let current: Record<string, string> = settings;
  for (const target of moves) {
    const { status, stderr } = await runClocheServer(['move', ...target], current);
    assert.equal(status, 0, stderr);
    current = await changeSettings(current, stderr);
    const started = await ServiceProcess.open(t, current);
    const client = await ApiClient.create({
      origin: started.origin,
      readBootstrapToken: () => service.readBootstrapToken(),
    });
    const model = await client.request(`/v1/designs/${id}/model`);
    assert.equal(model.status, 200, stderr);
    await started.stop('SIGTERM');
  }
});
