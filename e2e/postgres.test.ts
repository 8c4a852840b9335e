import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { findFreePort } from '../scripts/find-free-port.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { runSql } from '../server/testing/run-sql.ts';
import { ApiClient } from './api-client.ts';
import { ServiceProcess } from './service-process.ts';

const GRANT_KEY = '0123456789abcdef'.repeat(4);

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server[Symbol.asyncDispose]());

/** Creates an empty database, and returns the settings of a service that uses it. */
async function createDatabase(name: string): Promise<Record<string, string>> {
  await runSql(server.url, `CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  return { CLOCHE_DATABASE_URL: url, CLOCHE_GRANT_KEY: GRANT_KEY };
}

/** Starts a service with a data directory of its own, which must end by itself. */
async function startSecond(t: TestContext, settings: Record<string, string>) {
  const CLOCHE_DATA = join(await openTemporaryDirectory(t), 'data');
  const CLOCHE_PORT = String(await findFreePort());
  return runClocheServer([], { ...settings, CLOCHE_CHROMIUM: 'none', CLOCHE_DATA, CLOCHE_PORT });
}

test('from the first start to an embed, also after a restart; commands use the same database', async (t) => {
  const settings = await createDatabase('first');
  const service = await ServiceProcess.open(t, settings);
  const api = await ApiClient.create(service);
  const { status, body } = await api.upload(makeBox());
  assert.deepEqual([status, body.status], [201, 'ready']);
  assert.ok((await api.getArtifact(await api.getViewerConfig(body.id))).byteLength > 0);
  await service.kill();
  await service.start();
  assert.ok((await api.getArtifact(await api.getViewerConfig(body.id))).byteLength > 0);

  const runCommand = (...args: string[]) =>
    runClocheServer(args, { ...settings, CLOCHE_DATA: service.dataDirectory });
  await runCommand('users', 'add', 'anna');
  const created = await runCommand('token', '--user', 'anna', '--capabilities', 'read');
  assert.equal(created.status, 0, created.stderr);
  const headers = { authorization: `Bearer ${created.stdout.trim()}` };
  const getStatus = async () => (await fetch(`${service.origin}/v1/designs`, { headers })).status;
  assert.equal(await getStatus(), 200);
  await runCommand('users', 'disable', 'anna');
  await waitUntil('the token is refused', async () => (await getStatus()) === 401);
  assert.equal(await service.stop('SIGTERM'), 0);
});

test('a worker that starts before the other nodes creates no bootstrap token: a web node does', async (t) => {
  const settings = {
    ...(await createDatabase('worker_first')),
    CLOCHE_FILES: join(await openTemporaryDirectory(t), 'files'),
  };
  // It would print the token.
  const role = { CLOCHE_ROLE: 'worker', CLOCHE_BOOTSTRAP_TOKEN_FILE: undefined };
  const worker = await ServiceProcess.open(t, { ...settings, ...role });
  const web = await ServiceProcess.open(t, { ...settings, CLOCHE_ROLE: 'web' });
  const headers = { authorization: `Bearer ${await web.readBootstrapToken()}` };
  assert.equal((await fetch(`${web.origin}/v1/designs`, { headers })).status, 200);
  assert.doesNotMatch(worker.output, /token|cloche_sk_/);
});

test('a second service with other files on the same database ends with one line that says why', async (t) => {
  const settings = await createDatabase('second');
  await ServiceProcess.open(t, settings);
  const { status, stdout, stderr } = await startSecond(t, settings);
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(
    stderr,
    /^[^\n]*CLOCHE_DATABASE_URL is a database that another node uses [^\n]*CLOCHE_FILES\.\n$/,
  );
});

test('while the database is stopped: 503 with Retry-After; afterwards it works without a restart', async (t) => {
  const settings = await createDatabase('third');
  const folder = await openTemporaryDirectory(t);
  const file = join(folder, 'url');
  await writeFile(file, `${settings.CLOCHE_DATABASE_URL}\n`);
  const service = await ServiceProcess.open(t, {
    CLOCHE_DATABASE_URL_FILE: file,
    CLOCHE_GRANT_KEY: GRANT_KEY,
  });
  const api = await ApiClient.create(service);
  const { body } = await api.upload(makeBox());
  await server.stop();
  const response = await api.request('/v1/designs');
  assert.equal(response.status, 503, await response.text());
  assert.ok(Number(response.headers.get('retry-after')) > 0);
  assert.equal((await fetch(`${service.origin}/livez`)).status, 200);
  assert.equal((await fetch(`${service.origin}/readyz`)).status, 503);
  await server.start();
  const isReady = async () => (await fetch(`${service.origin}/readyz`)).ok;
  await waitUntil('the service to be ready', isReady, { timeoutMs: 60_000 });
  assert.equal((await api.getDesign(body.id)).status, 'ready');
  const uploaded = await api.upload(makeBox({ color: [0, 0, 1] }));
  assert.deepEqual([uploaded.status, uploaded.body.status], [201, 'ready']);
});
