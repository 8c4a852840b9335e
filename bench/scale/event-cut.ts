import type { TestContext } from 'node:test';
import { DatabaseProxy } from '../../e2e/database-proxy.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import type { Measurement } from '../measurement.ts';
import { NodeClient, startNodes } from './nodes.ts';
import { measureOneRevocation, Tokens } from './revocation.ts';

/** For each of two ways: the connection is closed and stays refused, or nothing passes any more. */
const REVOCATIONS = 10;

/** Measures the same as `measureRevocation` while the other nodes cannot receive events, from just before each revocation. */
export async function measureEventCut(): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await startPostgresServer());
  // The proxy needs nothing else of a test.
  const scope = { after: (close: () => void) => resources.defer(close) } as TestContext;
  const proxy = await DatabaseProxy.open(scope, url);
  const nodes = await startNodes(resources, [url, proxy.url, proxy.url]);
  const [first, ...others] = nodes.map((node) => resources.use(new NodeClient(node)));
  if (first === undefined) throw new Error('There is no node.');
  const tokens = new Tokens(first, nodes[0].token);
  const maxima: string[] = [];
  const times: number[] = [];
  const acceptedTimes: number[] = [];
  for (const mode of ['closed', 'silent'] as const) {
    const ofMode: number[] = [];
    for (let count = 0; count < REVOCATIONS; count += 1) {
      for (const node of others) await waitUntil('the events', () => receivesEvents(node));
      const cut = () => proxy.setEventMode(mode);
      const { refusedMs, acceptedMs } = await measureOneRevocation(tokens, others, cut);
      ofMode.push(refusedMs);
      acceptedTimes.push(acceptedMs);
      proxy.setEventMode('open');
    }
    maxima.push(`${Math.max(...ofMode).toFixed(0)} ms ${mode}`);
    times.push(...ofMode);
  }
  return [
    {
      label: `the same with the event connection cut, ${times.length} times: maximum`,
      value: Math.max(...times),
      unit: 'ms',
      atMost: 2_000,
      detail: `maxima: ${maxima.join(', ')}; last response that accepted it: ${Math.max(...acceptedTimes).toFixed(0)} ms`,
    },
  ];
}

async function receivesEvents(node: NodeClient): Promise<boolean> {
  const { status, text } = await node.send({ path: '/readyz', method: 'GET', headers: {} });
  return status === 200 && (JSON.parse(text) as Readiness).events.current;
}

type Readiness = { events: { current: boolean } };
