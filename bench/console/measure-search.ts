import { setTimeout as wait } from 'node:timers/promises';
import type { DesignList } from '@cloche/contract/design';
import type { DemoService } from '../../demo/demo-service.ts';
import { readCpuSeconds } from '../cpu-time.ts';
import { sendRequest } from '../embed-requests.ts';
import { computePercentiles, type Percentiles } from './percentiles.ts';

const QUERY_COUNT = 100;
/** What the console asks for. */
const LIMIT = 100;
/** Between the two kinds, so that the processor time of one is not counted for the other. */
const PAUSE_MS = 200;

export type SearchMeasurement = { label: string; times: Percentiles; cpuMs: number };

/** Measures different searches, and designs that are read by their id over the same connection. */
export async function measureSearch(service: DemoService): Promise<SearchMeasurement[]> {
  const { items } = await read<DesignList>(service, '/v1/designs?limit=200&sort=name');
  const ids = Array.from({ length: QUERY_COUNT }, (_, index) => items[index % items.length]?.id);
  const toSearch = (limit: number) =>
    Array.from(
      { length: QUERY_COUNT },
      (_, index) => `/v1/designs?limit=${limit}&q=${encodeURIComponent(toText(index))}`,
    );
  const kinds: [label: string, paths: string[]][] = [
    ['one design, by its id', ids.map((id) => `/v1/designs/${id}`)],
    [`search, pages of ${LIMIT}`, toSearch(LIMIT)],
    ['search, pages of 50', toSearch(50)],
    ['tags', Array.from({ length: QUERY_COUNT }, () => '/v1/tags')],
  ];
  const measurements: SearchMeasurement[] = [];
  for (const [label, paths] of kinds) {
    // The first requests compile code and prepare statements.
    for (const path of paths.slice(0, 10)) await read(service, path);
    await wait(PAUSE_MS);
    measurements.push({ label, ...(await measurePaths(service, paths)) });
  }
  return measurements;
}

async function measurePaths(service: DemoService, paths: readonly string[]) {
  const startCpu = readCpuSeconds(service.pid);
  const times: number[] = [];
  for (const path of paths) {
    const startedAt = performance.now();
    await read(service, path);
    times.push(performance.now() - startedAt);
  }
  const cpuSeconds = readCpuSeconds(service.pid) - startCpu;
  return { times: computePercentiles(times), cpuMs: (cpuSeconds * 1000) / paths.length };
}

/** A text that all designs have, many, one or none. */
function toText(index: number): string {
  const texts = [`design ${index}`, `größe” ${index % 7}`, `sku-${index * 97}`, `no such ${index}`];
  return texts[index % texts.length] ?? '';
}

async function read<T>({ origin, token }: DemoService, path: string): Promise<T> {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await sendRequest(origin, { path, method: 'GET', headers });
  return JSON.parse(body.toString());
}
