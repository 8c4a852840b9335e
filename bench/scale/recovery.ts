import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findProgram } from '../../scripts/optional-programs.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { startPgBouncer } from '../../server/testing/pgbouncer.ts';
import { type PostgresServer, startPostgresServer } from '../../server/testing/postgres-server.ts';
import { createRequests } from '../embed-requests.ts';
import type { Measurement } from '../measurement.ts';
import type { RepeatedRequest } from '../request-rate.ts';
import { NodeClient, startNodes } from './nodes.ts';

const OUTAGES = 5;
const OUTAGE_MS = 5_000;
const MAX_RECOVERY_MS = 2_000;
const PAUSE_MS = 5;

/** Measures how long after the start of PostgreSQL all of three nodes answer again, without and with a pooler. */
export async function measureRecovery(): Promise<Measurement[]> {
  const direct = await measureOutages('PostgreSQL stopped for 5 s', async (_, { url }) => url);
  const label = 'PostgreSQL stopped for 5 s, behind PgBouncer';
  if (findProgram('pgbouncer') === undefined) {
    const detail = 'PgBouncer is not installed';
    return [...direct, { label, value: undefined, unit: 'ms', atMost: MAX_RECOVERY_MS, detail }];
  }
  const toPoolerUrl = async (resources: AsyncDisposableStack, { url }: PostgresServer) =>
    resources.use(await startPgBouncer(url)).toUrl(url);
  return [...direct, ...(await measureOutages(label, toPoolerUrl))];
}

/** @param toUrl the URL with which nodes reach the server */
async function measureOutages(
  label: string,
  toUrl: (resources: AsyncDisposableStack, server: PostgresServer) => Promise<string>,
): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const server = resources.use(await startPostgresServer());
  const url = await toUrl(resources, server);
  const nodes = await startNodes(resources, [url, url, url]);
  const clients = nodes.map((node) => resources.use(new NodeClient(node)));
  const { document } = await createRequests(nodes[0].origin, nodes[0], makeBox());
  const headers = { authorization: `Bearer ${nodes[0].token}` };
  const requests = [document.target, { path: '/v1/designs', method: 'GET', headers }];
  const pairs = clients.flatMap((node) => requests.map((target) => ({ node, target })));
  for (const pair of pairs) await waitUntil('an answer', () => isAnswered(pair));
  const times: number[] = [];
  const others: string[] = [];
  const isAnsweredOrRefused = async (pair: Pair) => {
    const { status, retryAfter } = await send(pair);
    // 503 tells the client when to try again.
    const isRefused = status === 503 && Number(retryAfter) > 0;
    if (status !== 200 && !isRefused) others.push(`${pair.target.path.split('?')[0]} ${status}`);
    return status === 200;
  };
  for (let outage = 0; outage < OUTAGES; outage += 1) {
    const stoppedAtMs = performance.now();
    await server.stop();
    // The outage counts only if it has reached all nodes.
    for (const pair of pairs)
      await waitUntil('an error', async () => !(await isAnsweredOrRefused(pair)));
    await sleep(Math.max(0, OUTAGE_MS - (performance.now() - stoppedAtMs)));
    await server.start();
    const startedAtMs = performance.now();
    await Promise.all(
      pairs.map(async (pair) => {
        while (!(await isAnsweredOrRefused(pair))) await sleep(PAUSE_MS);
      }),
    );
    times.push(performance.now() - startedAtMs);
  }
  return [
    {
      label: `${label}: all nodes answer again, maximum of ${OUTAGES}`,
      value: Math.max(...times),
      unit: 'ms',
      atMost: MAX_RECOVERY_MS,
      detail: `${times.map((ms) => ms.toFixed(0)).join(', ')} ms after it accepts connections, for a framed document and the API`,
    },
    {
      label: `${label}: responses other than 200, or 503 with Retry-After`,
      value: others.length,
      unit: 'responses',
      atMost: 0,
      ...(others.length > 0 && { detail: others.join(', ') }),
    },
  ];
}

type Pair = { node: NodeClient; target: RepeatedRequest };

async function isAnswered(pair: Pair): Promise<boolean> {
  return (await send(pair)).status === 200;
}

async function send({ node, target }: Pair) {
  const { status, headers } = await node.send(target);
  return { status, retryAfter: headers['retry-after'] };
}
