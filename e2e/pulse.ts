import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Visit } from './owner.ts';

/** How long answers took, in milliseconds. */
export type Pulse = { count: number; p99Ms: number; longestMs: number };

const EVERY_MS = 20;
const STRANGERS = { role: 'control' };

/**
 * Asks a service for the same thing every 20 ms, and beside it a server that does nothing and shares
 * this machine: what both are late for is the machine's doing. In threads of its own, for the test
 * is busy too.
 */
export async function openPulse(t: TestContext, visit: Visit) {
  const control = start(t, STRANGERS);
  const [url] = (await once(control, 'message')) as [string];
  const poller = start(t, { visits: [visit, { url, headers: {} }] });
  return {
    /** What was measured since it was opened: of the service, and of the control. */
    async stop(): Promise<[service: Pulse, control: Pulse]> {
      poller.postMessage('stop');
      const [measured] = (await once(poller, 'message')) as [[Pulse, Pulse]];
      return measured;
    },
  };
}

function start(t: TestContext, data: object): Worker {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  t.after(() => worker.terminate());
  return worker;
}

async function answerAll(): Promise<void> {
  const server = createServer((_request, response) => void response.end('here')).listen(0);
  await once(server, 'listening');
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

async function poll(visits: readonly Visit[]): Promise<void> {
  let stopped = false;
  parentPort?.once('message', () => {
    stopped = true;
  });
  const lane = async (visit: Visit): Promise<Pulse> => {
    const times: number[] = [];
    while (!stopped) {
      times.push(await timeOne(visit));
      await wait(EVERY_MS);
    }
    return describe(times);
  };
  parentPort?.postMessage(await Promise.all(visits.map(lane)));
}

async function timeOne({ url, headers }: Visit): Promise<number> {
  const start = performance.now();
  const outgoing = request(url, { headers, agent: false }).end();
  const [answer] = await once(outgoing, 'response');
  answer.resume();
  await once(answer, 'end');
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
  return performance.now() - start;
}

function describe(times: number[]): Pulse {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { count: times.length, p99Ms: at(0.99), longestMs: at(1) };
}

if (!isMainThread && workerData?.role === 'control') await answerAll();
if (!isMainThread && workerData?.visits !== undefined) await poll(workerData.visits);
