import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeGlb, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import sharp from 'sharp';
import type { DemoService } from '../../demo/demo-service.ts';
import { findProgram } from '../../scripts/optional-programs.ts';
import { createBucket } from '../../scripts/radosgw/create-bucket.ts';
import { type RadosGateway, startRadosGateway } from '../../scripts/radosgw/radosgw.ts';
import { readCpuSeconds } from '../cpu-time.ts';
import { createRequests } from '../embed-requests.ts';
import type { Measurement } from '../measurement.ts';
import { alternate, poolRounds, type Round, sumPerCost } from '../pooled-ratio.ts';
import type { RepeatedRequest } from '../request-rate.ts';
import { startService } from './nodes.ts';
import { publishObject } from './public-object.ts';

/** Short rounds: what else runs on the machine then has the same share of both rounds of a pair. */
const [WARM_UP_ROUNDS, ROUNDS, ROUND_MS] = [2, 16, 600];
const READERS = 4;
/** Length of a side of each texture, in pixels. */
const TEXTURE_SIDE = 2048;
const TEXTURES = 4;

/**
 * Compares the throughput of a model of about 10 MB from an S3 server with that from the folder of the node: of one that the node has
 * read before, and without the cache on its disk.
 */
export async function measureLargeModel(): Promise<Measurement[]> {
  const label = 'a 10 MB model, from S3 / from the folder, read before';
  if (findProgram('radosgw') === undefined) {
    const detail = 'radosgw, an S3 server, is not installed';
    return [{ label, value: undefined, unit: '', atLeast: 0.8, detail }];
  }
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'cloche-scale-')));
  const gateway = resources.use(await startRadosGateway(folder.path));
  const bucket = await createBucket(gateway, 'designs');
  const model = await makeModel();
  const createServiceTarget = async (settings: Record<string, string>) =>
    createTarget(await startService(resources, settings), model);
  const cached = await createServiceTarget(bucket);
  const targets = {
    cached,
    folder: await createServiceTarget({}),
    uncached: await createServiceTarget({
      ...bucket,
      // A bucket, or a folder in it, belongs to one service.
      CLOCHE_S3_URL: `${bucket.CLOCHE_S3_URL}/uncached`,
      CLOCHE_CACHE_MB: '0',
    }),
    direct: await createDirectTarget(gateway, cached),
  };
  const rates = await measureRates(targets);
  const size = (cached.sizeBytes / 1e6).toFixed(1);
  const toRow = (name: 'cached' | 'uncached') => {
    const { ratio, spread } = poolRounds(rates[name].time, rates.folder.time);
    const [ours, folder, direct] = [rates[name], rates.folder, rates.direct].map(
      ({ time, cpu }) => ({
        perSecond: Math.round(sumPerCost(time)),
        perCpuSecond: Math.round(sumPerCost(cpu)),
      }),
    );
    return {
      value: ratio,
      unit: '',
      spread,
      detail:
        `${size} MB to ${READERS} readers: from S3 ${ours?.perSecond} MB/s, from the folder ${folder?.perSecond}, without a node from the S3 server on the same cores ` +
        `${direct?.perSecond}; in MB for each CPU-s of the node ${ours?.perCpuSecond} and ${folder?.perCpuSecond}`,
    };
  };
  return [
    { label, atLeast: 0.8, ...toRow('cached') },
    { label: 'the same, without the cache on the disk', ...toRow('uncached') },
  ];
}

type TargetName = 'cached' | 'folder' | 'uncached' | 'direct';
/** The MB that the readers receive, in seconds of time and of processor time of the service. */
type Rates = { time: Round[]; cpu: Round[] };

/** Measures each target in each round, in an order that alternates. */
async function measureRates(
  targets: Record<TargetName, Target>,
): Promise<Record<TargetName, Rates>> {
  const names = Object.keys(targets) as TargetName[];
  const rates = Object.fromEntries(
    names.map((name) => [name, { time: [], cpu: [] }]),
  ) as unknown as Record<TargetName, Rates>;
  const plan = { warmUpRounds: WARM_UP_ROUNDS, rounds: ROUNDS, count: names.length };
  await alternate(plan, async (index, round) => {
    const name = names[index] as TargetName;
    const { megabytes, seconds, cpuSeconds } = await measureThroughput(targets[name]);
    if (round < 0) return;
    rates[name].time.push({ done: megabytes, cost: seconds });
    rates[name].cpu.push({ done: megabytes, cost: cpuSeconds });
  });
  return rates;
}

/** The same object, from the S3 server. */
async function createDirectTarget(gateway: RadosGateway, target: Target): Promise<Target> {
  const url = new URL(await publishObject(gateway, 'designs', target.sizeBytes));
  const request: RepeatedRequest = { path: url.pathname, method: 'GET', headers: {} };
  return { ...target, origin: url.origin, request };
}

type Target = { origin: string; pid: number; request: RepeatedRequest; sizeBytes: number };

async function createTarget(service: DemoService, model: Buffer): Promise<Target> {
  const origin = service.origin.replace('localhost', '127.0.0.1');
  const { asset } = await createRequests(origin, service, model);
  const target = { origin, pid: service.pid, request: asset.target };
  return { ...target, sizeBytes: await readResponse(target) };
}

/** Returns the MB that the readers receive in a round, how long it took, and the processor time of the service. */
async function measureThroughput(target: Target) {
  const startMs = performance.now();
  const startCpu = readCpuSeconds(target.pid);
  let bytes = 0;
  const read = async () => {
    while (performance.now() - startMs < ROUND_MS) bytes += await readResponse(target);
  };
  await Promise.all(Array.from({ length: READERS }, read));
  const seconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = readCpuSeconds(target.pid) - startCpu;
  return { megabytes: bytes / 1e6, seconds, cpuSeconds };
}

/** Returns the length of the body, which is not kept. */
async function readResponse({
  origin,
  request: { path, method, headers },
}: Omit<Target, 'sizeBytes'>): Promise<number> {
  const outgoing = request(origin + path, { method, headers }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(response, 'end');
  return bytes;
}

/** Makes a cube with four textures of noise, which compress badly. */
async function makeModel(): Promise<Buffer> {
  const { json, bin } = makeUnpackedBox({ textured: true });
  const raw = { width: TEXTURE_SIDE, height: TEXTURE_SIDE, channels: 3 } as const;
  const images = await Promise.all(
    Array.from({ length: TEXTURES }, () =>
      sharp(randomBytes(3 * TEXTURE_SIDE * TEXTURE_SIDE), { raw })
        .png({ compressionLevel: 1 })
        .toBuffer(),
    ),
  );
  const bufferViews = json.bufferViews as object[];
  let byteLength = bin.length;
  const parts = [bin];
  json.images = images.map((image) => {
    bufferViews.push({ buffer: 0, byteOffset: byteLength, byteLength: image.length });
    byteLength += image.length;
    parts.push(image);
    return { bufferView: bufferViews.length - 1, mimeType: 'image/png' };
  });
  json.textures = images.map((_, source) => ({ source, sampler: 0 }));
  const [material] = json.materials as object[];
  Object.assign(material ?? {}, {
    emissiveFactor: [1, 1, 1],
    emissiveTexture: { index: 1 },
    normalTexture: { index: 2 },
    occlusionTexture: { index: 3 },
  });
  json.buffers = [{ byteLength }];
  return makeGlb({ json, bin: Buffer.concat(parts) });
}
