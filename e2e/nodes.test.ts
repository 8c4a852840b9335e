import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { NodeList } from '@cloche/contract/node';
import { makeBox, makeGridGlb } from '@cloche/pipeline/testing/models';
import { findProcessesUsing } from '@cloche/pipeline/testing/processes';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { findFreePort } from '../scripts/find-free-port.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { runSql } from '../server/testing/run-sql.ts';
import { ServiceProcess } from './service-process.ts';

const GRANT_KEY = '0123456789abcdef'.repeat(4);
const SHOP = 'https://shop.example';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server[Symbol.asyncDispose]());

type Response = { status: number; headers: Headers; body: Record<string, unknown> };

/** Three nodes on one database, with one folder for the files. `web` processes none of them. */
class Nodes {
  readonly web: ServiceProcess;
  readonly workers: readonly [ServiceProcess, ServiceProcess];
  readonly settings: Record<string, string>;
  readonly token: string;

  private constructor(
    services: readonly ServiceProcess[],
    settings: Record<string, string>,
    token: string,
  ) {
    const [web, first, second] = services as [ServiceProcess, ServiceProcess, ServiceProcess];
    this.web = web;
    this.workers = [first, second];
    this.settings = settings;
    this.token = token;
  }

  static async open(t: TestContext): Promise<Nodes> {
    const settings = {
      CLOCHE_DATABASE_URL: server.url,
      CLOCHE_GRANT_KEY: GRANT_KEY,
      CLOCHE_FILES: join(await openTemporaryDirectory(t), 'files'),
    };
    const web = await ServiceProcess.open(t, { ...settings, CLOCHE_ROLE: 'web' });
    const workers = await Promise.all([1, 2].map(() => ServiceProcess.open(t, settings)));
    return new Nodes([web, ...workers], settings, await web.readBootstrapToken());
  }

  get all(): readonly ServiceProcess[] {
    return [this.web, ...this.workers];
  }

  async call(
    node: ServiceProcess,
    method: string,
    path: string,
    { token = this.token, body, headers = {} }: CallOptions = {},
  ): Promise<Response> {
    const isFile = body instanceof Uint8Array;
    const response = await fetch(node.origin + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(body && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : JSON.parse(text),
    };
  }

  async createToken(fields: object = {}): Promise<{ id: string; token: string }> {
    const body = { capabilities: ['read'], ...fields };
    const created = await this.call(this.web, 'POST', '/v1/tokens', { body });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    return created.body as { id: string; token: string };
  }

  /** The status of the framed document, as a page of the shop requests it. */
  async getEmbedStatus(node: ServiceProcess, designId: string, token: string): Promise<number> {
    const headers = { 'sec-fetch-dest': 'iframe', referer: `${SHOP}/` };
    const url = `${node.origin}/embed/iframe/v1/${designId}?token=${token}`;
    // `fetch` does not send these headers.
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { headers, agent: false }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      outgoing.on('error', reject).end();
    });
  }

  /** Waits until the other nodes respond with a status, after a change on the first one. */
  async waitForStatus(
    description: string,
    expected: number,
    getStatus: (node: ServiceProcess) => Promise<number>,
  ): Promise<void> {
    for (const node of this.all)
      await waitUntil(description, async () => (await getStatus(node)) === expected);
  }
}

type CallOptions = {
  token?: string;
  body?: object | Uint8Array;
  headers?: Record<string, string>;
};

/** Stops the worker process of the next job, so that the job lasts. Returns the node that runs it. */
async function pauseNextJob(nodes: readonly ServiceProcess[]): Promise<PausedJob> {
  return waitUntil('a worker process', () => {
    for (const node of nodes) {
      const worker = findProcessesUsing(join(node.dataDirectory, 'jobs')).find(({ command }) =>
        command.startsWith(`${process.execPath}\0`),
      );
      if (worker === undefined || !pauseProcess(worker.pid)) continue;
      return { node, resume: () => process.kill(worker.pid, 'SIGCONT') };
    }
    return undefined;
  });
}

/** Returns false if the process has ended. */
function pauseProcess(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGSTOP');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

type PausedJob = { node: ServiceProcess; resume(): void };

test('three nodes on one database', async (t) => {
  const nodes = await Nodes.open(t);
  const { web, workers } = nodes;
  const createDesign = async (name: string, seconds = 60, body = makeBox({ name })) => {
    const headers = { prefer: `wait=${seconds}` };
    const created = await nodes.call(web, 'POST', '/v1/designs', { body, headers });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    return created.body as { id: string; status: string };
  };

  await t.test('Prefer: wait on a node that does not process files; GET /v1/nodes', async () => {
    assert.equal((await createDesign('waited for')).status, 'ready');
    const { body } = await nodes.call(web, 'GET', '/v1/nodes');
    const listed = (body as NodeList).nodes.map(({ role }) => role);
    assert.deepEqual(listed.toSorted(), ['all', 'all', 'web']);
    const limited = await nodes.createToken({ origins: [SHOP] });
    const refused = await nodes.call(web, 'GET', '/v1/nodes', { token: limited.token });
    assert.deepEqual([refused.status, refused.body.code], [403, 'token.operator']);
  });

  await t.test(
    'what is revoked, replaced, changed or deleted on one node is on the others',
    async () => {
      const { id } = await createDesign('shown');
      const embed = { capabilities: ['embed'], origins: [SHOP] };
      const [revoked, moved, shown] = await Promise.all([
        nodes.createToken(embed),
        nodes.createToken(embed),
        nodes.createToken(embed),
      ]);
      const rotated = await nodes.createToken();
      const getApiStatus = (node: ServiceProcess) =>
        nodes
          .call(node, 'GET', '/v1/designs', { token: rotated.token })
          .then(({ status }) => status);
      for (const { token } of [revoked, moved, shown])
        await nodes.waitForStatus('shown', 200, (node) => nodes.getEmbedStatus(node, id, token));
      await nodes.waitForStatus('valid', 200, getApiStatus);

      await nodes.call(web, 'DELETE', `/v1/tokens/${revoked.id}`);
      const origins = ['https://other.example'];
      await nodes.call(web, 'PATCH', `/v1/tokens/${moved.id}`, { body: { origins } });
      const rotation = { body: { gracePeriodSeconds: 0 } };
      await nodes.call(web, 'POST', `/v1/tokens/${rotated.id}/rotate`, rotation);
      await nodes.waitForStatus('revoked', 401, (node) =>
        nodes.getEmbedStatus(node, id, revoked.token),
      );
      await nodes.waitForStatus('not allowed', 403, (node) =>
        nodes.getEmbedStatus(node, id, moved.token),
      );
      await nodes.waitForStatus('replaced', 401, getApiStatus);
      await nodes.call(web, 'DELETE', `/v1/designs/${id}`);
      await nodes.waitForStatus('deleted', 404, (node) =>
        nodes.getEmbedStatus(node, id, shown.token),
      );
    },
  );

  await t.test('a user that a command has disabled is disabled on all nodes', async () => {
    const run = (...args: string[]) =>
      runClocheServer(args, { ...nodes.settings, CLOCHE_DATA: web.dataDirectory });
    await run('users', 'add', 'anna');
    const { stdout } = await run('token', '--user', 'anna', '--capabilities', 'read');
    const getStatus = async (node: ServiceProcess) =>
      (await nodes.call(node, 'GET', '/v1/designs', { token: stdout.trim() })).status;
    await nodes.waitForStatus('valid', 200, getStatus);
    await run('users', 'disable', 'anna');
    await nodes.waitForStatus('disabled', 401, getStatus);
  });

  await t.test(
    'an Idempotency-Key that is used on all nodes at once creates one token',
    async () => {
      const headers = { 'idempotency-key': 'same' };
      const body = { capabilities: ['read'], name: 'idempotent' };
      const responses = await Promise.all(
        nodes.all.map((node) => nodes.call(node, 'POST', '/v1/tokens', { body, headers })),
      );
      assert.deepEqual(
        responses.map(({ status }) => status),
        [201, 201, 201],
      );
      assert.equal(new Set(responses.map(({ body }) => body.id)).size, 1);
      const { rows } = await runSql(server.url, "SELECT 1 FROM token WHERE name = 'idempotent'");
      assert.equal(rows.length, 1);
    },
  );

  await t.test(
    'events on a node that does not process the file; its job is cancelled there',
    async () => {
      const { id } = await createDesign('followed', 0, makeGridGlb(30_000));
      const { node } = await pauseNextJob(workers);
      const other = nodes.all.find((candidate) => candidate !== node) ?? assert.fail();
      const stream = await fetch(`${other.origin}/v1/designs/${id}/events`, {
        headers: { authorization: `Bearer ${nodes.token}` },
      });
      const chunks: string[] = [];
      const ended = (async () => {
        for await (const chunk of stream.body ?? []) chunks.push(Buffer.from(chunk).toString());
      })();
      await waitUntil('progress', () => /event: progress\ndata: \{"step"/.test(chunks.join('')));
      const cancelled = await nodes.call(web, 'POST', `/v1/designs/${id}/revisions/1/cancel`);
      assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled']);
      await ended;
      assert.match(chunks.join(''), /"status":"cancelled"/);
      const folder = join(node.dataDirectory, 'jobs');
      await waitUntil('the worker to end', () => findProcessesUsing(folder).length === 0);
    },
  );

  await t.test('the connection for events is cut: nothing that was revoked is served', async () => {
    const { id, token } = await nodes.createToken();
    const getStatus = async (node: ServiceProcess) =>
      (await nodes.call(node, 'GET', '/v1/designs', { token })).status;
    await nodes.waitForStatus('valid', 200, getStatus);
    await runSql(
      server.url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cloche events'",
    );
    await nodes.call(web, 'DELETE', `/v1/tokens/${id}`);
    await nodes.waitForStatus('revoked', 401, getStatus);
  });

  await t.test(
    'a node is killed during a job: another one runs it when the lease has ended',
    async () => {
      const { id } = await createDesign('survives', 0, makeGridGlb(40_000));
      const { node } = await pauseNextJob(workers);
      await node.kill();
      // Meanwhile the others continue.
      assert.equal((await createDesign('unaffected')).status, 'ready');
      await waitUntil(
        'the job to be run again',
        async () => {
          const { body } = await nodes.call(web, 'GET', `/v1/designs/${id}`);
          return body.status === 'ready';
        },
        { timeoutMs: 180_000 },
      );
      const { rows } = await runSql(server.url, 'SELECT 1 FROM job');
      assert.equal(rows.length, 0);
      await node.start();
    },
  );

  await t.test(
    'the database is stopped: 503 with Retry-After, no process ends, and all recover',
    async () => {
      const { id } = await createDesign('kept');
      const { token } = await nodes.createToken({ capabilities: ['embed'], origins: [SHOP] });
      await nodes.waitForStatus('shown', 200, (node) => nodes.getEmbedStatus(node, id, token));
      await server.stop();
      for (const node of nodes.all) {
        const response = await waitUntil('503', async () => {
          const response = await nodes.call(node, 'GET', '/v1/designs');
          return response.status === 503 && response;
        });
        assert.ok(Number(response.headers.get('retry-after')) > 0);
        // Its caches are not used: something may have been revoked.
        await waitUntil('503', async () => (await nodes.getEmbedStatus(node, id, token)) === 503);
        assert.equal((await fetch(`${node.origin}/livez`)).status, 200);
      }
      await server.start();
      await nodes.waitForStatus('shown', 200, (node) => nodes.getEmbedStatus(node, id, token));
      assert.equal((await createDesign('after')).status, 'ready');
    },
  );

  await t.test(
    'a worker serves only its health; a node with other files does not start',
    async () => {
      const CLOCHE_METRICS_PORT = String(await findFreePort());
      const role = { CLOCHE_ROLE: 'worker', CLOCHE_METRICS_PORT };
      const worker = await ServiceProcess.open(t, { ...nodes.settings, ...role });
      const metrics = await fetch(`http://127.0.0.1:${CLOCHE_METRICS_PORT}/metrics`);
      assert.match(await metrics.text(), /^cloche_event_lag_seconds \d[\d.e-]*$/m);
      const getStatus = async (path: string) => (await fetch(worker.origin + path)).status;
      assert.deepEqual(await Promise.all(['/livez', '/readyz'].map(getStatus)), [200, 200]);
      const paths = [
        '/',
        '/v1/designs',
        '/v1/nodes',
        '/docs',
        '/embed/iframe/v1/x',
        '/openapi.json',
      ];
      assert.deepEqual([...new Set(await Promise.all(paths.map(getStatus)))], [404]);
      const CLOCHE_DATA = await openTemporaryDirectory(t);
      const CLOCHE_FILES = join(CLOCHE_DATA, 'files');
      const settings = { ...nodes.settings, CLOCHE_DATA, CLOCHE_FILES, CLOCHE_CHROMIUM: 'none' };
      const { status, stderr } = await runClocheServer([], { ...settings, CLOCHE_PORT: '1' });
      assert.equal(status, 1);
      assert.match(stderr, /which stores the files of designs in another place/);
    },
  );
});
