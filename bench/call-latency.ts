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

/** The times from call to answer, in milliseconds. */
export type CallLatency = { name: string; p50: number; p95: number };

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
    const samples = await page.evaluate(measureCalls, service.origin);
    return samples.map(([name, times]) => ({ name, ...summarize(times) }));
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
}

/** Prints one line for each method. */
export function printCallLatencies(latencies: readonly CallLatency[]): void {
  console.log('\nFrom call to answer in ms; goal: p95 at most 4, on an idle machine');
  for (const { name, p50, p95 } of latencies) {
    const [half, most] = [p50, p95].map((ms) => ms.toFixed(2).padStart(6));
    console.log(`  ${name.padEnd(46)} p50 ${half}  p95 ${most}`);
  }
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

function summarize(times: readonly number[]): { p50: number; p95: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}

if (process.argv[1] === import.meta.filename) printCallLatencies(await benchCallLatency());
