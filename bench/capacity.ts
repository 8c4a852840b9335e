/**
 * Measures what one node can handle, with PostgreSQL, in processor time: requests for each second, and seconds for each megabyte of an
 * uploaded file. Run it with `npm run bench:capacity`, on Linux. docs/scale.md has a table of the results.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBox, makeGridGlb } from '@cloche/pipeline/testing/models';
import { type DemoService, startDemoService } from '../demo/demo-service.ts';
import { buildWorkspaces } from '../scripts/build-workspaces.ts';
import { startPostgresServer } from '../server/testing/postgres-server.ts';
import { median } from './bench-result.ts';
import { readChildrenCpuSeconds, readCpuSeconds } from './cpu-time.ts';
import { createRequests, sendRequest } from './embed-requests.ts';
import { measureRequestRate, type RepeatedRequest } from './request-rate.ts';

const PORT = 18_790;
const ORIGIN = `http://127.0.0.1:${PORT}`;
const [WARM_UP_ROUNDS, ROUNDS, ROUND_SECONDS] = [4, 7, 1];
/** Of a large model without textures. */
const TRIANGLES = 300_000;

await buildWorkspaces({ onlyIfChanged: true });
await using postgres = await startPostgresServer();
await using folder = await mkdtempDisposable(join(tmpdir(), 'cloche-capacity-'));
const settings = {
  CLOCHE_DATABASE_URL: postgres.url,
  CLOCHE_GRANT_KEY: randomBytes(32).toString('hex'),
  // Only the first service creates the token.
  CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder.path, 'bootstrap-token'),
  CLOCHE_PUBLIC_URL: `http://localhost:${PORT}`,
  CLOCHE_MAX_REQUESTS_PER_MINUTE: '999999999',
  CLOCHE_MAX_DOCUMENTS_PER_MINUTE: '999999999',
  // Bubblewrap ends before the processes in it, which would then not be counted.
  CLOCHE_SANDBOX: 'reduced',
};
const formatLoad = () => loadavg()[0]?.toFixed(1);
console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, load ${formatLoad()} at the start\n`);
await measureRequests();
await measureProcessing();
console.log(`\nLoad ${formatLoad()} at the end`);

async function measureRequests(): Promise<void> {
  // The tickets are for the address of the service itself: what a cache requests from it.
  const cdn = { CLOCHE_CDN_URL: settings.CLOCHE_PUBLIC_URL, CLOCHE_CHROMIUM: 'none' };
  await using service = await startDemoService(PORT, { ...settings, ...cdn });
  const { document, snippet, asset } = await createRequests(
    ORIGIN,
    service,
    makeBox({ textured: true }),
  );
  const { path, headers } = asset.target;
  const [withGrant = ''] = path.split('?');
  const uri = { ...headers, 'x-original-uri': path };
  const targets: [label: string, target: RepeatedRequest][] = [
    ['framed document', document.target],
    ['snippet', snippet.target],
    ['small file, with a grant', { ...asset.target, path: withGrant }],
    ['small file, with a ticket', asset.target],
    ['check of a ticket', { ...asset.target, path: '/embed/tickets/check', headers: uri }],
  ];
  for (const [label, target] of targets) {
    const rates: number[] = [];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
      const process = { origin: ORIGIN, pid: service.pid };
      const rate = await measureRequestRate(process, target, ROUND_SECONDS);
      if (round >= 0) rates.push(rate);
    }
    console.log(`${String(Math.round(median(rates))).padStart(7)} requests/CPU-s  ${label}`);
  }
}

async function measureProcessing(): Promise<void> {
  const files: [name: string, bytes: Buffer][] = [
    ['textured sample', await readFile(join(import.meta.dirname, '../demo/sample.glb'))],
    ['large mesh', makeGridGlb(TRIANGLES)],
  ];
  // Without posters: a browser that stays open would not be counted.
  await using service = await startDemoService(PORT, { ...settings, CLOCHE_CHROMIUM: 'none' });
  for (const [name, bytes] of files) {
    const seconds = await processFile(service, bytes);
    const megabytes = bytes.length / 1e6;
    const perMegabyte = (seconds / megabytes).toFixed(1);
    console.log(
      `${seconds.toFixed(1).padStart(7)} CPU-s, ${perMegabyte} for each MB: ${name}, ${megabytes.toFixed(1)} MB`,
    );
  }
}

/** Returns the processor time from the upload until the design is ready, of the service and its workers. */
async function processFile({ origin, pid, token }: DemoService, bytes: Buffer): Promise<number> {
  const read = () => readCpuSeconds(pid) + readChildrenCpuSeconds(pid);
  const start = read();
  const headers = {
    host: new URL(origin).host,
    authorization: `Bearer ${token}`,
    'content-type': 'model/gltf-binary',
    prefer: 'wait=60',
  };
  const path = '/v1/designs';
  const { body } = await sendRequest(ORIGIN, { path, method: 'POST', headers }, bytes);
  const { id } = JSON.parse(body.toString());
  for (;;) {
    const target = { path: `${path}/${id}`, method: 'GET', headers };
    const design = JSON.parse((await sendRequest(ORIGIN, target)).body.toString());
    if (design.status === 'failed') throw new Error(`The design has failed: ${design.problem}`);
    if (design.status === 'ready') return read() - start;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
