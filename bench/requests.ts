import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeBox } from '@cloche/pipeline/testing/models';
import { startDemoService } from '../demo/demo-service.ts';
import { stopProcess } from '../scripts/service-process.ts';
import type { RecordedResponse } from './bare-fastify.ts';
import { type BenchResult, compareRounds, expectAtLeast } from './bench-result.ts';
import { createRequests, sendRequest } from './embed-requests.ts';
import { measureRequestRate, type RepeatedRequest } from './request-rate.ts';

const ROUNDS = 15;
const ROUND_SECONDS = 0.7;
/** Rounds that do not count: until then, V8 still compiles what runs often, which takes CPU time on threads of its own. */
const WARM_UP_ROUNDS = 8;
const PORT = 18_787;

/** The limits are counted, and their headers have the same length in each response. */
const UNREACHABLE_LIMITS = {
  CLOCHE_MAX_REQUESTS_PER_MINUTE: '999999999',
  CLOCHE_MAX_DOCUMENTS_PER_MINUTE: '999999999',
};

/**
 * Compares requests per second of CPU time of the three most frequent routes with a bare Fastify that
 * sends the same headers and bodies. Both run in processes of their own, in alternating short rounds.
 */
export async function benchRequests(): Promise<BenchResult[]> {
  await using service = await startDemoService(PORT, UNREACHABLE_LIMITS);
  // An IP address for both, so that resolving "localhost" is not measured.
  const address = `http://127.0.0.1:${PORT}`;
  const targets = await createRequests(address, service, makeBox({ textured: true }));
  const ourProcess = { origin: address, pid: service.pid };
  const responses: Record<string, RecordedResponse> = {};
  for (const [name, { target }] of Object.entries(targets)) {
    responses[name] = await recordResponse(address, target, join(service.folder, name));
  }
  await using bare = await startBareFastify(responses);

  const rows: BenchResult[] = [];
  for (const { label, target } of Object.values(targets)) {
    const ours: number[] = [];
    const baseline: number[] = [];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
      const ourRate = await measureRequestRate(ourProcess, target, ROUND_SECONDS);
      const baselineRate = await measureRequestRate(bare, target, ROUND_SECONDS);
      if (round >= 0) {
        ours.push(ourRate);
        baseline.push(baselineRate);
      }
    }
    const rates = compareRounds(ours, baseline);
    rows.push({
      label,
      ...rates,
      unit: 'requests/CPU-s',
      goal: expectAtLeast(rates.ratio, 0.6),
    });
  }
  return rows;
}

/** Headers that Fastify adds by itself. */
const CONNECTION_HEADERS = ['date', 'connection', 'keep-alive', 'content-length'];

/** Sends a request once and records the response for the bare server. */
async function recordResponse(
  origin: string,
  target: RepeatedRequest,
  bodyFile: string,
): Promise<RecordedResponse> {
  const { headers, body } = await sendRequest(origin, target, target.body);
  await writeFile(bodyFile, body);
  const recordedHeaders = Object.entries(headers).filter(
    ([name]) => !CONNECTION_HEADERS.includes(name),
  );
  return { headers: Object.fromEntries(recordedHeaders) as Record<string, string>, bodyFile };
}

async function startBareFastify(responses: Record<string, RecordedResponse>) {
  const file = join(import.meta.dirname, 'bare-fastify.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(responses)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    origin: line.toString().trim(),
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      await stopProcess(child, 'SIGTERM');
    },
  };
}
