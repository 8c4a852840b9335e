import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../scripts/wait-until.ts';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { runSql } from '../server/testing/run-sql.ts';
import { ApiClient, type DocumentRequest, SHOP_ORIGIN } from './api-client.ts';
import { DatabaseProxy } from './database-proxy.ts';
import { NodesClient, requestEmbed } from './nodes-client.ts';
import { type OutageResponse, toOutageResponse, waitForOutageStatus } from './outage-responses.ts';
import { ServiceProcess } from './service-process.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server[Symbol.asyncDispose]());

type Nodes = {
  first: ServiceProcess;
  second: ServiceProcess;
  api: ApiClient;
  client: NodesClient;
  /** The connections of the second node. */
  proxy: DatabaseProxy;
  database: string;
  /** Starts another node. */
  openNode(): Promise<ServiceProcess>;
};

/** For a process that would otherwise never end. */
const EXIT_TIMEOUT_MS = 60_000;

/** Starts two nodes on an empty database. The second one reaches it through a proxy. */
async function openNodes(t: TestContext, name: string): Promise<Nodes> {
  await runSql(server.url, `CREATE DATABASE ${name}`);
  const database = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  const proxy = await DatabaseProxy.open(t, database);
  const settings = {
    CLOCHE_GRANT_KEY: '0123456789abcdef'.repeat(4),
    CLOCHE_FILES: join(await openTemporaryDirectory(t), 'files'),
  };
  const openNode = () => ServiceProcess.open(t, { ...settings, CLOCHE_DATABASE_URL: database });
  const first = await openNode();
  const second = await ServiceProcess.open(t, { ...settings, CLOCHE_DATABASE_URL: proxy.url });
  const client = new NodesClient([first, second], await first.readBootstrapToken());
  return { first, second, api: await ApiClient.create(first), client, proxy, database, openNode };
}

const OUTAGES = [
  {
    name: 'stopped',
    begin: () => server.stop(),
    end: () => server.start(),
  },
  {
    name: 'frozen',
    begin: async () => server.pause(),
    end: async () => server.resume(),
  },
];

for (const { name, begin, end } of OUTAGES) {
  test(`PostgreSQL is ${name}: 503 with Retry-After, embeds end, no process exits without a signal, and all continue`, async (t) => {
    const { first, second, api, client, database, openNode } = await openNodes(t, name);
    const stopped = await openNode();
    const { body } = await api.upload(makeBox());
    const shown = await api.createDocumentRequest(body.id);
    for (const node of client.nodes) assert.equal((await requestShown(node, shown)).status, 200);
    const pids = client.nodes.map(({ pid }) => pid);

    await begin();
    for (const node of client.nodes) {
      await waitForOutageStatus(503, () => requestList(client, node));
      // What was cached is served only as long as the node knows that it was not revoked.
      await waitForOutageStatus(503, () => requestShown(node, shown));
      assert.equal((await requestShown(node, shown)).status, 503);
      assert.equal((await client.send(node, '/livez')).status, 200);
    }
    const exited = await Promise.race([
      stopped.stop('SIGTERM'),
      sleep(EXIT_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    assert.equal(exited, 0, stopped.output);
    await end();
    const heartbeats = await countHeartbeats(database, async () => {
      for (const node of client.nodes) {
        await waitForOutageStatus(200, () => requestShown(node, shown));
        await waitForOutageStatus(200, () => requestList(client, node));
      }
    });
    // Two nodes report every 5 s: six reports are about 15 s. A request that waits for the old connections takes 35 s.
    assert.ok(heartbeats <= 6, `${heartbeats} heartbeats until all nodes worked again`);
    assert.equal((await api.upload(makeBox({ color: [0, 0, 1] }))).body.status, 'ready');
    assert.deepEqual(
      client.nodes.map(({ pid }) => pid),
      pids,
    );
    assert.deepEqual([await first.stop('SIGTERM'), await second.stop('SIGTERM')], [0, 0]);
  });
}

/** Counts how often the nodes report that they run, during an operation. */
async function countHeartbeats(database: string, operation: () => Promise<void>): Promise<number> {
  const readTimes = async () => {
    const { rows } = await runSql(database, 'SELECT id, seen_at FROM node ORDER BY id');
    return rows.map(({ id, seen_at }) => `${id} ${seen_at}`);
  };
  const seen = new Set(await readTimes());
  const before = seen.size;
  let isEnded = false;
  const ended = operation().finally(() => {
    isEnded = true;
  });
  ended.catch(() => undefined);
  while (!isEnded) {
    for (const time of await readTimes()) seen.add(time);
    await sleep(200);
  }
  await ended;
  return seen.size - before;
}

async function requestList(client: NodesClient, node: ServiceProcess): Promise<OutageResponse> {
  return toOutageResponse(await client.send(node, '/v1/designs'));
}

function requestShown(node: ServiceProcess, { url }: DocumentRequest): Promise<OutageResponse> {
  const { pathname, search } = new URL(url);
  return requestEmbed(node.origin + pathname + search, SHOP_ORIGIN);
}

test('the connection for events is refused, or silent: what is revoked on another node is refused', async (t) => {
  const { second, client, proxy } = await openNodes(t, 'events');
  for (const mode of ['closed', 'silent'] as const) {
    const revoked = await createToken(client);
    const kept = await createToken(client);
    const getTokenStatus = (node: ServiceProcess, { id, token }: Token) =>
      client.send(node, `/v1/tokens/${id}`, { token }).then(({ status }) => status);
    // The node caches it.
    for (const token of [revoked, kept]) assert.equal(await getTokenStatus(second, token), 200);
    proxy.setEventMode(mode);
    await client.sendTo(0, `/v1/tokens/${revoked.id}`, { method: 'DELETE' });
    await client.assertEverywhere(401, (node) => getTokenStatus(node, revoked));
    await waitUntil('the node to know that it misses events', async () => {
      const { events } = (await (await client.send(second, '/readyz')).json()) as Readiness;
      return !events.current;
    });
    // Slower, but not wrong.
    assert.equal(await getTokenStatus(second, revoked), 401);
    assert.equal(await getTokenStatus(second, kept), 200);
    await client.sendTo(0, `/v1/tokens/${kept.id}`, { method: 'DELETE' });
    assert.equal(await getTokenStatus(second, kept), 401);
    proxy.setEventMode('open');
    await waitUntil('the node to receive events', async () => {
      const { events } = (await (await client.send(second, '/readyz')).json()) as Readiness;
      return events.current;
    });
  }
});

type Readiness = { events: { current: boolean } };
type Token = { id: string; token: string };

async function createToken(client: NodesClient): Promise<Token> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ capabilities: ['read'] });
  const response = await client.sendTo(0, '/v1/tokens', { method: 'POST', headers, body });
  assert.equal(response.status, 201);
  return (await response.json()) as Token;
}
