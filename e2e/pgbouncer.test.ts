import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { findFreePort } from '../scripts/find-free-port.ts';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { type PgBouncer, startPgBouncer } from '../server/testing/pgbouncer.ts';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { runSql } from '../server/testing/run-sql.ts';
import { ApiClient, SHOP_ORIGIN } from './api-client.ts';
import { NodesClient, requestEmbed } from './nodes-client.ts';
import { toOutageResponse, waitForOutageStatus } from './outage-responses.ts';
import { ServiceProcess } from './service-process.ts';

/** `server_login_retry`, if it is not set. */
const DEFAULT_LOGIN_RETRY_MS = 15_000;

describe('nodes with PgBouncer in transaction mode', { skip: skipWithout('pgbouncer') }, () => {
  let server: PostgresServer;
  let pooler: PgBouncer;
  before(async () => {
    server = await startPostgresServer();
    pooler = await startPgBouncer(server.url);
  });
  after(async () => {
    await pooler?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Creates an empty database, and returns the settings of nodes that use it through the pooler. */
  const createDatabase = async (t: TestContext, name: string, through = pooler) => {
    await runSql(server.url, `CREATE DATABASE ${name}`);
    const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    const settings = {
      CLOCHE_DATABASE_URL: through.toUrl(url),
      CLOCHE_GRANT_KEY: '0123456789abcdef'.repeat(4),
      CLOCHE_FILES: join(await openTemporaryDirectory(t), 'files'),
    };
    return { settings, url };
  };

  it('first start of two nodes at once, jobs, a revocation, a command', async (t) => {
    const { settings, url } = await createDatabase(t, 'nodes');
    const nodes = (await Promise.all([1, 2].map(() => ServiceProcess.open(t, settings)))) as [
      ServiceProcess,
      ServiceProcess,
    ];
    for (const { output } of nodes)
      assert.match(output, /the database is behind a connection pooler/);
    const { rows } = await runSql(url, 'SELECT id FROM token');
    assert.equal(rows.length, 1);
    const tokens = await Promise.all(
      nodes.map((node) => node.readBootstrapToken().catch(() => undefined)),
    );
    const [token = ''] = tokens.filter((found) => found !== undefined);
    const client = new NodesClient(nodes, token);
    const api = await ApiClient.create({
      origin: nodes[1].origin,
      readBootstrapToken: async () => token,
    });
    const uploads = Array.from({ length: 4 }, (_, index) =>
      api.upload(makeBox({ name: `${index}` })),
    );
    for (const { body } of await Promise.all(uploads)) assert.equal(body.status, 'ready');

    const getStatus = (node: ServiceProcess, own: { id: string; token: string }) =>
      client.send(node, `/v1/tokens/${own.id}`, { token: own.token }).then(({ status }) => status);
    const createToken = async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ capabilities: ['read'] });
      const response = await client.sendTo(0, '/v1/tokens', { method: 'POST', headers, body });
      return (await response.json()) as { id: string; token: string };
    };
    const revoked = await createToken();
    for (const node of nodes) assert.equal(await getStatus(node, revoked), 200);
    await client.sendTo(0, `/v1/tokens/${revoked.id}`, { method: 'DELETE' });
    await client.assertEverywhere(401, (node) => getStatus(node, revoked));

    const run = (...args: string[]) =>
      runClocheServer(args, { ...settings, CLOCHE_DATA: nodes[0].dataDirectory });
    await run('users', 'add', 'anna');
    const { status, stdout, stderr } = await run(
      'token',
      '--user',
      'anna',
      '--capabilities',
      'read',
    );
    assert.equal(status, 0, stderr);
    const headers = { token: stdout.trim() };
    const list = async () => (await client.send(nodes[1], '/v1/designs', headers)).status;
    assert.equal(await list(), 200);
    await run('users', 'disable', 'anna');
    await waitUntil('the token is refused', async () => (await list()) === 401);
    // No lock of a connection was left in the pool.
    const locks = await runSql(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'");
    assert.equal(locks.rows.length, 0);
  });

  it('a copied data directory is refused while its node runs; after a crash, the node starts again', async (t) => {
    const { settings } = await createDatabase(t, 'copies');
    const service = await ServiceProcess.open(t, settings);
    const CLOCHE_DATA = join(await openTemporaryDirectory(t), 'data');
    await cp(join(service.dataDirectory, 'node-id'), join(CLOCHE_DATA, 'node-id'), {
      recursive: true,
    });
    const id = (await readFile(join(CLOCHE_DATA, 'node-id'), 'utf8')).trim();
    const copy = { ...settings, CLOCHE_DATA, CLOCHE_PORT: String(await findFreePort()) };
    const { status, stderr } = await runClocheServer([], { ...copy, CLOCHE_CHROMIUM: 'none' });
    assert.equal(status, 1);
    assert.ok(stderr.includes(`another node with the id ${id} is using`), stderr);
    await service.kill();
    await service.start();
    assert.equal((await (await ApiClient.create(service)).upload(makeBox())).body.status, 'ready');
  });

  it('PostgreSQL is stopped: 503 with Retry-After, and all nodes continue when the pooler connects again', async (t) => {
    await using server = await startPostgresServer();
    await using pooler = await startPgBouncer(server.url);
    const settings = {
      CLOCHE_DATABASE_URL: pooler.toUrl(server.url),
      CLOCHE_GRANT_KEY: '0123456789abcdef'.repeat(4),
      CLOCHE_FILES: join(await openTemporaryDirectory(t), 'files'),
    };
    const first = await ServiceProcess.open(t, settings);
    const second = await ServiceProcess.open(t, settings);
    const client = new NodesClient([first, second], await first.readBootstrapToken());
    const api = await ApiClient.create(first);
    const { body } = await api.upload(makeBox());
    const { pathname, search } = new URL((await api.createDocumentRequest(body.id)).url);
    const sendRequests = client.nodes.flatMap((node) => [
      async () => toOutageResponse(await client.send(node, '/v1/designs')),
      () => requestEmbed(node.origin + pathname + search, SHOP_ORIGIN),
    ]);

    await server.stop();
    for (const send of sendRequests) await waitForOutageStatus(503, send);
    const refused = readRefusalTimes(pooler).length;
    await waitUntil('further attempts', () => readRefusalTimes(pooler).length >= refused + 3);
    // The first line of the log may be cut off.
    const attempts = readRefusalTimes(pooler).filter((time) => !Number.isNaN(time));
    await server.start();
    for (const send of sendRequests) await waitForOutageStatus(200, send);
    // The next attempt is successful: so often they are made.
    const pauses = attempts.slice(1).map((time, index) => time - (attempts[index] ?? 0));
    assert.ok(Math.min(...pauses) < DEFAULT_LOGIN_RETRY_MS / 2, `${pauses.join(', ')} ms`);
    assert.equal((await api.upload(makeBox({ color: [0, 0, 1] }))).body.status, 'ready');
    for (const node of client.nodes) assert.equal(await node.stop('SIGTERM'), 0, node.output);
  });

  it('a pool that is too small: 503 with Retry-After, and later everything works', async (t) => {
    await using small = await startPgBouncer(server.url, { connections: 1 });
    const { settings, url } = await createDatabase(t, 'small', small);
    const service = await ServiceProcess.open(t, settings);
    const api = await ApiClient.create(service);
    assert.equal((await api.upload(makeBox())).body.status, 'ready');
    // The only connection is in use.
    const { default: pg } = await import('pg');
    const holder = new pg.Client(small.toUrl(url));
    holder.on('error', () => {});
    await holder.connect();
    await holder.query('BEGIN');
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => api.request('/v1/designs')),
    );
    for (const { status, headers } of responses) {
      assert.equal(status, 503);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    await holder.end();
    const list = async () => (await api.request('/v1/designs')).status === 200;
    await waitUntil('the API', list);
    assert.equal((await api.upload(makeBox({ color: [0, 1, 0] }))).body.status, 'ready');
  });
});

/** Returns when the pooler could not connect to the database, in milliseconds since 1970. */
function readRefusalTimes(pooler: PgBouncer): number[] {
  const lines = pooler.readLog().matchAll(/^(\S+ \S+ \S+) .*connect failed/gm);
  return [...lines].map(([, time = '']) => Date.parse(time));
}
