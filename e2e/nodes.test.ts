import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { NodeList } from '@cloche/contract/node';
import { makeBox, makeGridGlb } from '@cloche/pipeline/testing/models';
import { findProcessesUsing } from '@cloche/pipeline/testing/processes';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { findFreePort } from '../scripts/find-free-port.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { LEASE_DURATION_MS } from '../server/src/processing/job.ts';
import { type PostgresServer, startPostgresServer } from '../server/testing/postgres-server.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { runSql } from '../server/testing/run-sql.ts';
import { toOutageResponse, waitForOutageStatus } from './outage-responses.ts';
import { ServiceProcess } from './service-process.ts';
import { SHOP, ThreeNodes } from './three-nodes.ts';

/** Nodes look for such jobs every 5 s. */
const MAX_CLAIM_DELAY_MS = 10_000;

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server[Symbol.asyncDispose]());

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

type FoundJob = {
  attempts: number;
  node: string;
  /** From now to the end of its lease. */
  leaseSeconds: number;
  /** The end of its lease. */
  leasedUntilMs: number;
};

/** Reads the job of a design, and when its lease ends, by the clock of the database. */
async function findJob(designId: string): Promise<FoundJob | undefined> {
  const { rows } = await runSql(
    server.url,
    `SELECT attempts, node, extract(epoch FROM leased_until::timestamptz - clock_timestamp())::float8 AS "leaseSeconds",
       extract(epoch FROM leased_until::timestamptz)::float8 * 1000 AS "leasedUntilMs"
       FROM job JOIN revision ON revision.id = job.revision_id WHERE design_id = '${designId}'`,
  );
  return rows[0];
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
  const nodes = await ThreeNodes.open(t, server.url);
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
      const lost = await findJob(id);
      assert.equal(lost?.attempts, 1);
      const { leaseSeconds } = lost;
      assert.ok(leaseSeconds <= 30, `the lease of the killed node ends in ${leaseSeconds} s`);
      // Meanwhile the others continue.
      assert.equal((await createDesign('unaffected')).status, 'ready');
      let last = lost;
      let claimed: FoundJob | undefined;
      await waitUntil(
        () => `the job to be run again: ${JSON.stringify(last)}`,
        async () => {
          last = (await findJob(id)) ?? last;
          if (last.attempts === 2) claimed ??= last;
          const { body } = await nodes.call(web, 'GET', `/v1/designs/${id}`);
          return body.status === 'ready';
        },
        { timeoutMs: 180_000 },
      );
      assert.equal(last.attempts, 2);
      assert.ok(claimed);
      const delayMs = claimed.leasedUntilMs - LEASE_DURATION_MS - lost.leasedUntilMs;
      assert.ok(delayMs <= MAX_CLAIM_DELAY_MS, `claimed ${delayMs} ms after the lease had ended`);
      assert.notEqual(last.node, lost.node);
      assert.equal(await findJob(id), undefined);
      await node.start();
    },
  );

  await t.test(
    'the database is stopped: 503 with Retry-After, no process ends, and all recover',
    async () => {
      const { id } = await createDesign('kept');
      const { token } = await nodes.createToken({ capabilities: ['embed'], origins: [SHOP] });
      await nodes.waitForStatus('shown', 200, (node) => nodes.getEmbedStatus(node, id, token));
      const requestList = async (node: ServiceProcess) =>
        toOutageResponse(await nodes.call(node, 'GET', '/v1/designs'));
      await server.stop();
      for (const node of nodes.all) {
        await waitForOutageStatus(503, () => requestList(node));
        // Its caches are not used: something may have been revoked.
        await waitForOutageStatus(503, () => nodes.requestEmbed(node, id, token));
        assert.equal((await fetch(`${node.origin}/livez`)).status, 200);
      }
      await server.start();
      for (const node of nodes.all) {
        await waitForOutageStatus(200, () => nodes.requestEmbed(node, id, token));
        await waitForOutageStatus(200, () => requestList(node));
      }
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
