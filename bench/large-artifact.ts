import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDemoService } from '../demo/demo-service.ts';
import { makeNoiseModel } from '../e2e/noise-model.ts';
import { ProcessMemory } from '../e2e/process-memory.ts';
import { stopProcess } from '../scripts/service-process.ts';
import { type BenchResult, compareRounds, expectAtLeast } from './bench-result.ts';
import { createRequests, sendRequest } from './embed-requests.ts';
import { measureRequestRate } from './request-rate.ts';

const ROUNDS = 11;
const ROUND_SECONDS = 1;
const MAX_MEMORY_MB = 20;
const PORT = 18_788;
/** Length of a side of the texture, in pixels. The model then has 3 MB. */
const TEXTURE_SIDE = 2048;

/**
 * Compares the requests per second of CPU time for a model of 3 MB with those of a plain `node:http` server
 * that sends the same file, both to 32 readers; and how much more memory each needs for them.
 */
export async function benchLargeArtifact(): Promise<BenchResult[]> {
  await using service = await startDemoService(PORT);
  const address = `http://127.0.0.1:${PORT}`;
  const { asset } = await createRequests(address, service, await makeNoiseModel(TEXTURE_SIDE));
  const file = join(service.folder, 'model.glb');
  const { body } = await sendRequest(address, asset.target);
  await writeFile(file, body);
  await using plain = await startPlainHttp(file);

  const servers = [{ origin: address, pid: service.pid }, plain];
  const memories = servers.map(({ pid }) => new ProcessMemory(pid));
  const idleBytes = await Promise.all(memories.map((memory) => memory.getResidentBytes()));
  const rates: number[][] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, server] of servers.entries()) {
      const rate = await measureRequestRate(server, asset.target, ROUND_SECONDS);
      // The first round is a warm-up.
      if (round > 0) rates[index]?.push(rate);
    }
  }
  const peaks = await Promise.all(memories.map((memory) => memory.takePeakBytes()));
  const [ours = 0, baseline = 0] = peaks.map((peak, i) => (peak - (idleBytes[i] ?? 0)) / 2 ** 20);
  const requestRates = compareRounds(rates[0] ?? [], rates[1] ?? []);
  return [
    {
      label: `a model of ${(body.length / 1e6).toFixed(1)} MB`,
      ...requestRates,
      unit: 'requests/CPU-s of node:http',
      // 1 / 1.3 of the requests for the same processor time.
      goal: expectAtLeast(requestRates.ratio, 0.77),
    },
    {
      label: 'more memory with 32 readers of it',
      ours,
      baseline,
      ratio: baseline / ours,
      unit: 'MB',
      goal: { text: `at most ${MAX_MEMORY_MB} MB`, isMet: ours <= MAX_MEMORY_MB },
    },
  ];
}

async function startPlainHttp(file: string) {
  const script = join(import.meta.dirname, 'plain-http.ts');
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    origin: line.toString().trim(),
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      await stopProcess(child, 'SIGTERM');
    },
  };
}
