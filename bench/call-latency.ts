import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type DemoService, startDemoService } from '../demo/demo-service.ts';
import { openChromium } from '../e2e/chromium.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { measureCalls } from './measure-calls.ts';

const CLIENT = join(import.meta.dirname, '../e2e/fixtures/protocol-1/client.js');
const SERVICE_PORT = 18_789;
const PAGE_PORT = 18_790;

/** The goal for the p95 of each method in an idle viewer, milliseconds. */
const MAX_P95_MS = 4;

/** The times from call to answer, in milliseconds, and the p95 relative to that of the baseline. */
export type CallLatency = { name: string; p50: number; p95: number; ratio: number };

/** Sends back each message that it gets on its port. */
const ECHO_PAGE = `<!doctype html><script>
onmessage = ({ ports: [port] }) => { port.onmessage = ({ data }) => port.postMessage(data); };
</script>`;

/**
 * Measures the time from a call of the host page to the answer of the viewer, one call at a time, in a viewer that is idle.
 * The baseline is the time of a message to a frame of another site and back, in the same run.
 */
export async function benchCallLatency(): Promise<CallLatency[]> {
  await using service = await startDemoService(SERVICE_PORT);
  const pageOrigin = `http://shop.localhost:${PAGE_PORT}`;
  const snippet = await createSnippet(service, pageOrigin);
  const client = await readFile(CLIENT, 'utf8');
  const echo = `<iframe id="echo" src="http://echo.localhost:${PAGE_PORT}/echo"></iframe>`;
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      url === '/echo' ? ECHO_PAGE : `<!doctype html><script>${client}</script>${snippet}${echo}`,
    );
  }).listen(PAGE_PORT, '127.0.0.1');
  await once(server, 'listening');
  const browser = await openChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
    await page.goto(pageOrigin);
    const viewer = page.frames().find((frame) => frame.url().startsWith(service.origin));
    assert(viewer);
    const samples = await measureCalls(page, viewer, service.origin);
    const baseline = percentile(samples[0]?.[1] ?? [], 0.95);
    return samples.map(([name, times]) => {
      const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
      return { name, p50, p95, ratio: p95 / baseline };
    });
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
}

/** Prints one line for each method. If the goal is not met, the process exits with an error. */
export function printCallLatencies(latencies: readonly CallLatency[]): void {
  console.log(
    `\nFrom call to answer in ms, and p95 relative to the first; goal: p95 at most ${MAX_P95_MS}`,
  );
  for (const { name, p50, p95, ratio } of latencies) {
    const [half, most, times] = [p50, p95, ratio].map((value) => value.toFixed(2).padStart(6));
    console.log(`  ${name.padEnd(46)} p50 ${half}  p95 ${most}  ×${times}`);
  }
  const slow = latencies.filter(({ p95 }) => !(p95 <= MAX_P95_MS)).map(({ name }) => name);
  if (slow.length === 0) return;
  console.error(`Too slow: ${slow.join('; ')}.`);
  process.exitCode = 1;
}

/** Creates a design with an animation and a variant, and returns the HTML that shows it on a page. */
async function createSnippet(service: DemoService, pageOrigin: string): Promise<string> {
  const post = async (path: string, body: BodyInit, type: string) => {
    const response = await fetch(service.origin + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': type,
        prefer: 'wait=60',
        accept: '*/*',
      },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return text;
  };
  const model = createAnimatedBoxGlb({ variants: ['Pink'] });
  const { uri } = JSON.parse(await post('/v1/designs', model, 'model/gltf-binary'));
  const request = { capabilities: ['embed'], origins: [pageOrigin], type: 'api', user: '~' };
  const { token } = JSON.parse(
    await post('/v1/tokens', JSON.stringify(request), 'application/json'),
  );
  const html = await post('/embed/iframe/v1', JSON.stringify({ uri }), 'application/json');
  return html.replace('CLOCHE_EMBED_TOKEN', token).replace('loading="lazy"', '');
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

if (process.argv[1] === import.meta.filename) printCallLatencies(await benchCallLatency());
