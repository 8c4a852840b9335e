import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { DocumentRequest } from './api-client.ts';

/** Statistics of response times. */
export type LatencyStats = { count: number; p99Ms: number; maxMs: number };

const INTERVAL_MS = 20;
const CONTROL_WORKER_DATA = { role: 'control' };

/**
 * Sends a request to the service every 20 ms, and another to a control server that does nothing. If
 * both are slow, the machine is the cause. Runs in threads of its own, because the test would delay it.
 */
export async function openLatencyProbe(t: TestContext, serviceRequest: DocumentRequest) {
  const control = startWorker(t, CONTROL_WORKER_DATA);
  const [url] = (await once(control, 'message')) as [string];
  const poller = startWorker(t, { requests: [serviceRequest, { url, headers: {} }] });
  return {
    /** Stops, and returns the response times since the start. */
    async stop(): Promise<[service: LatencyStats, control: LatencyStats]> {
      poller.postMessage('stop');
      const [measured] = (await once(poller, 'message')) as [[LatencyStats, LatencyStats]];
      return measured;
    },
  };
}

function startWorker(t: TestContext, data: object): Worker {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  t.after(() => worker.terminate());
  return worker;
}

async function serveControl(): Promise<void> {
  const server = createServer((_request, response) => void response.end('OK')).listen(0);
  await once(server, 'listening');
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

async function pollUntilStopped(requests: readonly DocumentRequest[]): Promise<void> {
  let stopped = false;
  parentPort?.once('message', () => {
    stopped = true;
  });
  const poll = async (target: DocumentRequest): Promise<LatencyStats> => {
    const times: number[] = [];
    while (!stopped) {
      times.push(await measureLatencyMs(target));
      await delay(INTERVAL_MS);
    }
    return summarize(times);
  };
  parentPort?.postMessage(await Promise.all(requests.map(poll)));
}

async function measureLatencyMs({ url, headers }: DocumentRequest): Promise<number> {
  const start = performance.now();
  const outgoing = request(url, { headers, agent: false }).end();
  const [response] = await once(outgoing, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${url}: status ${response.statusCode}`);
  return performance.now() - start;
}

function summarize(times: number[]): LatencyStats {
  const sorted = times.toSorted((a, b) => a - b);
  const getQuantile = (quantile: number) => sorted[Math.floor((sorted.length - 1) * quantile)] ?? 0;
  return { count: times.length, p99Ms: getQuantile(0.99), maxMs: getQuantile(1) };
}

if (!isMainThread && workerData?.role === 'control') void serveControl();
if (!isMainThread && workerData?.requests !== undefined) void pollUntilStopped(workerData.requests);
