/**
 * Measures on a running service how long a small file waits behind large ones: for its validation, during which the
 * client waits for the response, and for its processing.
 *
 * Run it with `npm run bench:upload-lanes`. Each line compares two numbers of the same run; only their ratio can be
 * compared between machines. The exit code is 1 if the small file waits as long as in one queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Design } from '@cloche/contract/design';
import { makeZip } from '@cloche/pipeline/testing/formats/zip';
import { makeBox, makeGridGlb } from '@cloche/pipeline/testing/models';
import { type DemoService, startDemoService } from '../demo/demo-service.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { median } from './bench-result.ts';
import { makeGridObj } from './processing-time-files.ts';

const PORT = 18_788;
const ROUNDS = 5;
const LARGE_FILES = 3;
/** The bytes of the large files have arrived, and their validation has begun. */
const HEAD_START_MS = 150;
const PROCESSING_TIMEOUT_MS = 600_000;
const SMALL_FILE = makeBox();

await benchValidation();
await benchWorkers();

/** One lane would validate the small file after all large ones. */
async function benchValidation(): Promise<void> {
  const zip = makeZip({ 'model.obj': makeGridObj(355_000) });
  console.log(`A GLB of ${toKb(SMALL_FILE)}, behind ${LARGE_FILES} zip archives of ${toKb(zip)}`);
  await using service = await startService();
  await upload(service, SMALL_FILE);
  const alone: number[] = [];
  const behind: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await measureResponse(service, SMALL_FILE));
    const responses = Array.from({ length: LARGE_FILES }, () => measureResponse(service, zip));
    await sleep(HEAD_START_MS);
    behind.push(HEAD_START_MS + (await measureResponse(service, SMALL_FILE)));
    large.push(Math.max(...(await Promise.all(responses))));
    // The next round starts when no worker takes processor time.
    await deleteDesigns(service);
  }
  const ratios = behind.map((time, round) => time / (large[round] as number));
  console.log(`  response alone                  ${toSeconds(median(alone))}`);
  console.log(`  response behind them            ${toSeconds(median(behind) - HEAD_START_MS)}`);
  console.log(`  last response to the archives   ${toSeconds(median(large))}`);
  console.log(
    `  answered after ${median(ratios).toFixed(2)} of the time of the archives; in one queue, 1 or more\n`,
  );
  if (median(ratios) >= 1) process.exitCode = 1;
}

/** With one worker, the small file is processed after the large one. */
async function benchWorkers(): Promise<void> {
  const glb = makeGridGlb(1_000_000);
  console.log(`A GLB of ${toKb(SMALL_FILE)}, after one of ${toKb(glb)}: time until it is ready`);
  const times: number[] = [];
  for (const workers of [1, 2]) {
    await using service = await startService({ CLOCHE_WORKERS: String(workers) });
    await uploadUntilReady(service, SMALL_FILE);
    const start = performance.now();
    const { id } = await upload(service, glb);
    await waitUntil(
      'the large file is processed',
      async () => (await getStatus(service, id)) !== 'queued',
    );
    const large = waitUntilReady(service, id).then(() => performance.now() - start);
    const small = await uploadUntilReady(service, SMALL_FILE);
    console.log(
      `  ${workers} at a time: ${toSeconds(small)}; the large one ${toSeconds(await large)}`,
    );
    times.push(small);
  }
  const [one = 0, two = 0] = times;
  console.log(`  ${(one / two).toFixed(1)} times as long with one`);
  if (two >= one) process.exitCode = 1;
}

function startService(settings: Record<string, string> = {}): Promise<DemoService> {
  return startDemoService(PORT, { CLOCHE_CHROMIUM: 'none', ...settings });
}

async function request<T>(service: DemoService, method: string, path: string, body?: Buffer) {
  const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.token}`,
      ...(body && { 'content-type': 'application/octet-stream' }),
    },
    ...(body && { body: new Uint8Array(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

function upload(service: DemoService, bytes: Buffer): Promise<Design> {
  return request<Design>(service, 'POST', '/v1/designs', bytes);
}

async function measureResponse(service: DemoService, bytes: Buffer): Promise<number> {
  const start = performance.now();
  await upload(service, bytes);
  return performance.now() - start;
}

async function uploadUntilReady(service: DemoService, bytes: Buffer): Promise<number> {
  const start = performance.now();
  const { id } = await upload(service, bytes);
  await waitUntilReady(service, id);
  return performance.now() - start;
}

async function getStatus(service: DemoService, id: string): Promise<Design['status']> {
  return (await request<Design>(service, 'GET', `/v1/designs/${id}`)).status;
}

async function waitUntilReady(service: DemoService, id: string): Promise<void> {
  const isReady = async () => {
    const status = await getStatus(service, id);
    if (status === 'failed') throw new Error('The processing failed.');
    return status === 'ready';
  };
  await waitUntil('the design is ready', isReady, { timeoutMs: PROCESSING_TIMEOUT_MS });
}

async function deleteDesigns(service: DemoService): Promise<void> {
  const { items } = await request<{ items: Design[] }>(service, 'GET', '/v1/designs?limit=100');
  for (const { id } of items) await request(service, 'DELETE', `/v1/designs/${id}`);
}

function toKb(bytes: Buffer): string {
  return bytes.length < 1e6
    ? `${(bytes.length / 1e3).toFixed(1)} kB`
    : `${(bytes.length / 1e6).toFixed(1)} MB`;
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
