/**
 * Measures how long after the beginning of an upload, from this machine, an embed shows its preview, and then its model, with the running service. Fails if the
 * medians of a file of at most 10 MB are above the goals for two processors.
 *
 *     node bench/upload-to-preview.ts <file.glb> [rounds]
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { cpus, loadavg } from 'node:os';
import { basename } from 'node:path';
import type { Design } from '@cloche/contract/design';
import { type DemoService, startDemoService } from '../demo/demo-service.ts';
import { openChromium } from '../e2e/chromium.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { median } from './bench-result.ts';
import { printMeasurement } from './measurement.ts';

const [SERVICE_PORT, PAGE_PORT] = [18_795, 18_796];
const PAGE_ORIGIN = `http://localhost:${PAGE_PORT}`;
const TIMEOUT_MS = 600_000;
const MAX_BYTES = 10_000_000;
const GOALS = [
  ['preview visible', 3000],
  ['model made', 6000],
] as const;

const [, , path, rounds = '3'] = process.argv;
assert(path, 'Usage: node bench/upload-to-preview.ts <file.glb> [rounds]');
const file = await readFile(path);
const load = loadavg()[0] ?? 0;
console.log(
  `${basename(path)}, ${(file.length / 1e6).toFixed(1)} MB, ${cpus().length} cores, load ${load.toFixed(1)}`,
);

await using service = await startDemoService(SERVICE_PORT);
const { token } = await send<{ token: string }>(service, 'POST', '/v1/tokens', {
  capabilities: ['embed'],
  origins: [PAGE_ORIGIN],
  type: 'api',
  user: '~',
});
await using browser = await openChromium();
const measured: Record<string, number>[] = [];
for (let round = 1; round <= Number(rounds); round += 1) {
  const times = await measure();
  measured.push(times);
  console.log(times);
}
if (file.length <= MAX_BYTES) for (const [name, atMost] of GOALS) judge(name, atMost);

/** Compares the median of a time with its goal. Milliseconds. */
function judge(name: string, atMost: number): void {
  const value = median(measured.map((times) => times[name] ?? Infinity));
  if (printMeasurement({ label: name, value, unit: 'ms', atMost }) !== 'met') process.exitCode = 1;
}

/** Returns the times in milliseconds since the upload began. */
async function measure(): Promise<Record<string, number>> {
  const start = performance.now();
  const { id, uri } = await send<Design>(service, 'POST', '/v1/designs', file);
  const times: Record<string, number> = {};
  const note = (name: string) => {
    times[name] = Math.round(performance.now() - start);
  };
  const snippet = await send<string>(service, 'POST', '/embed/iframe/v1', { uri });
  const html = snippet.replace('CLOCHE_EMBED_TOKEN', token);
  const pages = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html>${html}`);
  }).listen(PAGE_PORT);
  const page = await browser.newPage();
  const waitForApi = (name: string, isReached: (design: Design) => boolean) =>
    waitUntil(
      name,
      async () => isReached(await send<Design>(service, 'GET', `/v1/designs/${id}`)),
      { timeoutMs: TIMEOUT_MS },
    ).then(() => note(name));
  await waitForApi('preview made', ({ progress, status }) => {
    assert.notEqual(status, 'failed');
    return progress?.preview === true || status === 'ready';
  });
  const ready = waitForApi('model made', ({ status }) => status === 'ready');
  await page.goto(PAGE_ORIGIN);
  const root = page.frameLocator('iframe').locator('html');
  const waitForState = (selector: string, name: string) =>
    root
      .and(page.frameLocator('iframe').locator(selector))
      .waitFor({ timeout: TIMEOUT_MS })
      .then(() => note(name));
  await waitForState('html:is([data-state="preview"], [data-state="ready"])', 'preview visible');
  await waitForState('html[data-state="ready"]', 'model visible');
  await ready;
  await page.close();
  pages.closeAllConnections();
  await new Promise((resolve) => pages.close(resolve));
  return times;
}

async function send<Body>(
  { origin, token: bearer }: DemoService,
  method: string,
  url: string,
  body?: Buffer | object,
): Promise<Body> {
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
  const response = await fetch(`${origin}${url}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': type }) },
    ...(body && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  const isJson = response.headers.get('content-type')?.includes('json');
  return (isJson ? JSON.parse(text) : text) as Body;
}
