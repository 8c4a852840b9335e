import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox, makeLargeGlb } from '@cloche/pipeline/testing/models';
import { findProgram } from '../../scripts/optional-programs.ts';
import { createBucket } from '../../scripts/radosgw/create-bucket.ts';
import { startRadosGateway } from '../../scripts/radosgw/radosgw.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import { TUS_HEADERS, TUS_PATCH_HEADERS } from '../../server/testing/tus-requests.ts';
import type { Measurement } from '../measurement.ts';
import { createNodeSettings, NodeClient, type NodeRequest, startService } from './nodes.ts';

/** As often is the gateway frozen, and as often killed. */
const OUTAGES = 2;
const OUTAGE_MS = 10_000;
/** Another request follows each response. */
const PAUSE_MS = 100;
const MIB = 1024 * 1024;
/** Several times the part of a multipart upload. */
const LARGE_BYTES = 32 * MIB;

/** How an outage begins and ends. */
type Outage = { name: string; begin(): Promise<void>; end(): Promise<void> };

/**
 * Measures how long requests take that need the bucket, during 10 seconds in which the S3 server accepts connections and answers nothing,
 * and in which it is killed.
 */
export async function measureBucketOutage(): Promise<Measurement[]> {
  const label = `S3 server frozen and killed, ${OUTAGES} times each for ${OUTAGE_MS / 1000} s`;
  if (findProgram('radosgw') === undefined) {
    const detail = 'radosgw, an S3 server, is not installed';
    return [{ label: `${label}: last 503`, value: undefined, unit: 'ms', atMost: 5_000, detail }];
  }
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'cloche-scale-')));
  const gateway = resources.use(await startRadosGateway(folder.path));
  const { url } = resources.use(await startPostgresServer());
  const { CLOCHE_FILES: _, ...settings } = await createNodeSettings(resources);
  const bucket = await createBucket(gateway, 'designs');
  const nodes: Node[] = [];
  for (let index = 0; index < 2; index += 1) {
    const nodeSettings = { ...settings, ...bucket, CLOCHE_DATABASE_URL: url, CLOCHE_ROLE: 'web' };
    const service = await startService(resources, nodeSettings);
    nodes.push(new Node(resources.use(new NodeClient(service)), service.token));
  }
  const kinds: Outage[] = [
    { name: 'frozen', begin: async () => gateway.pause(), end: async () => gateway.resume() },
    { name: 'killed', begin: () => gateway.kill(), end: () => gateway.restart() },
  ];
  const results: Results = { times: new Map(), recoveriesMs: [], others: [] };
  for (let index = 0; index < kinds.length * OUTAGES; index += 1)
    await measureOutage(kinds[index % kinds.length] as Outage, { nodes, index }, results);
  return toMeasurements(label, results);
}

type Results = {
  /** The times of the responses, by what was requested. */
  times: Map<string, number[]>;
  recoveriesMs: number[];
  /** Responses that are not 503 with Retry-After. */
  others: string[];
};

/** Sends all requests over and over during an outage, then waits until each node stores a file again. */
async function measureOutage(
  { name: kind, begin, end }: Outage,
  { nodes, index }: { nodes: readonly Node[]; index: number },
  { times, recoveriesMs, others }: Results,
): Promise<void> {
  const prepared = await prepareRequests(nodes, index);
  await begin();
  const endMs = performance.now() + OUTAGE_MS;
  try {
    const measure = async ({ name, node, request }: PreparedRequest) => {
      do {
        const startMs = performance.now();
        const { status, headers } = await node.client.send(request);
        // 0: the connection was closed without a response.
        if (status !== 503 || !(Number(headers['retry-after']) > 0))
          others.push(`${kind}, ${name}: ${status}`);
        const key = `${kind}, ${name}`;
        times.set(key, [...(times.get(key) ?? []), performance.now() - startMs]);
        await sleep(PAUSE_MS);
      } while (performance.now() < endMs);
    };
    await Promise.all(prepared.map(measure));
  } finally {
    await end();
  }
  const startMs = performance.now();
  for (const node of nodes)
    await waitUntil('the bucket', async () => (await node.upload(makeBox())).status === 201);
  recoveriesMs.push(performance.now() - startMs);
}

function toMeasurements(label: string, { times, recoveriesMs, others }: Results): Measurement[] {
  const maxima = [...times].map(
    ([name, list]) => `${name} ${Math.max(...list).toFixed(0)} of ${list.length}`,
  );
  return [
    {
      label: `${label}: last 503`,
      value: Math.max(...[...times.values()].flat()),
      unit: 'ms',
      atMost: 5_000,
      detail: `maxima in ms: ${maxima.join('; ')}`,
    },
    {
      label: `${label}: other responses`,
      value: others.length,
      unit: 'responses',
      atMost: 0,
      ...(others.length > 0 && { detail: [...new Set(others)].join('; ') }),
    },
    {
      label: `${label}: all nodes store files again`,
      value: Math.max(...recoveriesMs),
      unit: 'ms',
      detail: 'maximum, without a restart of a node',
    },
  ];
}

/** Sends requests to a node as the owner of everything. */
class Node {
  readonly client: NodeClient;
  readonly headers: Record<string, string>;

  constructor(client: NodeClient, token: string) {
    this.client = client;
    this.headers = { authorization: `Bearer ${token}` };
  }

  createUploadRequest(body: Buffer): NodeRequest {
    const headers = { ...this.headers, 'content-type': 'model/gltf-binary', prefer: 'wait=0' };
    return { path: '/v1/designs', method: 'POST', headers, body };
  }

  upload(body: Buffer) {
    return this.client.send(this.createUploadRequest(body));
  }

  /** Begins a resumable upload and returns its path. */
  async createResumableUpload(sizeBytes: number): Promise<string> {
    const headers = { ...this.headers, ...TUS_HEADERS, 'upload-length': String(sizeBytes) };
    const response = await this.client.send({ path: '/v1/uploads', method: 'POST', headers });
    if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
    return new URL(String(response.headers.location)).pathname;
  }
}

type PreparedRequest = { name: string; node: Node; request: NodeRequest };

/** For each node, requests that need the bucket. */
async function prepareRequests(nodes: readonly Node[], outage: number): Promise<PreparedRequest[]> {
  const prepared: PreparedRequest[] = [];
  for (const [index, node] of nodes.entries()) {
    const { headers } = node;
    const small = (blue: number) => makeBox({ color: [outage / (2 * OUTAGES), index, blue] });
    // The node that stores a file may still have it.
    const other = nodes[1 - index] as Node;
    const stored = await other.upload(small(1));
    if (stored.status !== 201) throw new Error(`${stored.status} ${stored.text}`);
    const { id } = JSON.parse(stored.text) as { id: string };
    const patchHeaders = { ...headers, ...TUS_PATCH_HEADERS, 'upload-offset': '0' };
    const body = makeLargeGlb(LARGE_BYTES);
    const path = await node.createResumableUpload(body.length);
    const requests: Record<string, NodeRequest> = {
      'small upload': node.createUploadRequest(small(0)),
      'upload of 32 MiB': node.createUploadRequest(body),
      'resumable upload of 32 MiB': { path, method: 'PATCH', headers: patchHeaders, body },
      download: { path: `/v1/designs/${id}/model`, method: 'GET', headers },
    };
    for (const [name, request] of Object.entries(requests)) prepared.push({ name, node, request });
  }
  return prepared;
}
