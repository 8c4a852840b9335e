import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { DocumentRequest } from './api-client.ts';

/** How long answers took, in milliseconds. */
export type LatencyStats = { count: number; p99Ms: number; maxMs: number };

const INTERVAL_MS = 20;
const CONTROL_WORKER_DATA = { role: 'control' };

/**
 * Asks a service for the same thing every 20 ms, and beside it a server that does nothing and shares
 * this machine: what both are late for is the machine's doing. In threads of its own, for the test
 * is busy too.
 */
export async function openLatencyProbe(t: TestContext, visit: DocumentRequest) {
  const control = startWorker(t, CONTROL_WORKER_DATA);
  const [url] = (await once(control, 'message')) as [string];
  const poller = startWorker(t, { visits: [visit, { url, headers: {} }] });
  return {
    /** What was measured since it was opened: of the service, and of the control. */
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
  const server = createServer((_request, response) => void response.end('here')).listen(0);
  await once(server, 'listening');
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

async function pollUntilStopped(visits: readonly DocumentRequest[]): Promise<void> {
  let stopped = false;
  parentPort?.once('message', () => {
    stopped = true;
  });
  const lane = async (visit: DocumentRequest): Promise<LatencyStats> => {
    const times: number[] = [];
    while (!stopped) {
      times.push(await measureLatencyMs(visit));
      await wait(INTERVAL_MS);
    }
    return summarize(times);
  };
  parentPort?.postMessage(await Promise.all(visits.map(lane)));
}

async function measureLatencyMs({ url, headers }: DocumentRequest): Promise<number> {
  const start = performance.now();
  const outgoing = request(url, { headers, agent: false }).end();
  const [answer] = await once(outgoing, 'response');
  answer.resume();
  await once(answer, 'end');
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
  return performance.now() - start;
}

function summarize(times: number[]): LatencyStats {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { count: times.length, p99Ms: at(0.99), maxMs: at(1) };
}

if (!isMainThread && workerData?.role === 'control') await serveControl();
if (!isMainThread && workerData?.visits !== undefined) await pollUntilStopped(workerData.visits);
