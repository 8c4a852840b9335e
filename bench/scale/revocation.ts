import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { waitUntil } from '../../scripts/wait-until.ts';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import type { Measurement } from '../measurement.ts';
import { NodeClient, startNodes } from './nodes.ts';

const [WARM_UP, REVOCATIONS] = [10, 200];
/** Between two requests to a node: the requests themselves must not delay what is measured. */
const PAUSE_MS = 1;
/** What a token is tried with. */
const PATH = '/v1/designs';

/** Measures how long after its revocation on one of three nodes a token is refused on both others. */
export async function measureRevocation(): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await startPostgresServer());
  const nodes = await startNodes(resources, [url, url, url]);
  const [first, ...others] = nodes.map((node) => resources.use(new NodeClient(node)));
  if (first === undefined) throw new Error('There is no node.');
  const tokens = new Tokens(first, nodes[0].token);
  const database = await openConnection(resources, url);
  const times: number[] = [];
  const baselines: number[] = [];
  for (let index = -WARM_UP; index < REVOCATIONS; index += 1) {
    const baselineMs = await measureRequestAndQuery(tokens, others, database);
    const { refusedMs } = await measureOneRevocation(tokens, others);
    if (index < 0) continue;
    times.push(refusedMs);
    baselines.push(baselineMs);
  }
  const at = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0;
  const toRatio = (share: number) => at(times, share) / at(baselines, share);
  const label = `token revoked on A, refused on B and C, ${REVOCATIONS} times`;
  const formatBaseline = (share: number) => `${at(baselines, share).toFixed(1)} ms`;
  return [
    { label: `${label}: p50`, value: at(times, 0.5), unit: 'ms' },
    {
      label: `${label}: p99`,
      value: at(times, 0.99),
      unit: 'ms',
      atMost: 100,
      detail: `maximum ${at(times, 1).toFixed(1)} ms, from the response of A to the first 401 of the slower node`,
    },
    {
      label: 'the same, as a multiple of one request to that node and one query: p50',
      value: toRatio(0.5),
      unit: '×',
      detail: `p99: ${toRatio(0.99).toFixed(1)} ×. A request and a query take ${formatBaseline(0.5)}, p99 ${formatBaseline(0.99)}`,
    },
  ];
}

async function openConnection(resources: AsyncDisposableStack, url: string): Promise<pg.Client> {
  const database = new pg.Client(url);
  await database.connect();
  resources.defer(() => database.end());
  return database;
}

/** Returns the time of a request to each of the nodes at the same time, until the slower one has answered, and of one query. */
async function measureRequestAndQuery(
  tokens: Tokens,
  nodes: readonly NodeClient[],
  database: pg.Client,
): Promise<number> {
  const startMs = performance.now();
  await Promise.all(nodes.map((node) => tokens.list(node)));
  await database.query('SELECT 1');
  return performance.now() - startMs;
}

type Token = { id: string; token: string };

/** The tokens of an installation, created and revoked on one of its nodes. */
export class Tokens {
  readonly #node: NodeClient;
  readonly #headers: Record<string, string>;

  constructor(node: NodeClient, owner: string) {
    this.#node = node;
    this.#headers = { authorization: `Bearer ${owner}` };
  }

  /** Requests the designs of their owner, as the requests do that a revoked token is tried with. */
  async list(node: NodeClient): Promise<void> {
    const { status } = await node.send({ path: PATH, method: 'GET', headers: this.#headers });
    if (status !== 200) throw new Error(`${PATH}: ${status}`);
  }

  async create(): Promise<Token> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ capabilities: ['read'] });
    const path = '/v1/tokens';
    const { status, text } = await this.#node.send({ path, method: 'POST', headers, body });
    if (status !== 201) throw new Error(`A token was not created: ${status} ${text}`);
    return JSON.parse(text) as Token;
  }

  async revoke({ id }: Token): Promise<void> {
    const path = `/v1/tokens/${id}`;
    const response = await this.#node.send({ path, method: 'DELETE', headers: this.#headers });
    if (response.status >= 300)
      throw new Error(`A token was not revoked: ${response.status} ${response.text}`);
  }
}

/** How long after the response to a revocation. */
type RevocationTimes = {
  /** All other nodes have refused the token. */
  refusedMs: number;
  /** The last response arrived that accepted it. */
  acceptedMs: number;
};

/**
 * Revokes a token that the other nodes have in their caches, and requests it there until all refuse it.
 *
 * @param beforeRevocation is called when the nodes have cached the token
 */
export async function measureOneRevocation(
  tokens: Tokens,
  others: readonly NodeClient[],
  beforeRevocation = () => {},
): Promise<RevocationTimes> {
  const token = await tokens.create();
  for (const node of others)
    await waitUntil('the token to be valid', () => isAccepted(node, token));
  beforeRevocation();
  let acceptedAtMs = 0;
  const refusals = others.map(async (node) => {
    while (await isAccepted(node, token)) {
      acceptedAtMs = performance.now();
      await sleep(PAUSE_MS);
    }
    return performance.now();
  });
  await tokens.revoke(token);
  const revokedAtMs = performance.now();
  const refusedAtMs = Math.max(...(await Promise.all(refusals)));
  // A node can refuse it before the other one has sent its response.
  return {
    refusedMs: Math.max(0, refusedAtMs - revokedAtMs),
    acceptedMs: Math.max(0, acceptedAtMs - revokedAtMs),
  };
}

async function isAccepted(node: NodeClient, { token }: Token): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, text } = await node.send({ path: PATH, method: 'GET', headers });
  if (status !== 200 && status !== 401) throw new Error(`Unexpected response: ${status} ${text}`);
  return status === 200;
}
