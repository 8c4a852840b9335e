import { spawn } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { SERVICE_ARGUMENTS, stopProcess } from '../../scripts/service-process.ts';
import { readCpuSeconds } from '../cpu-time.ts';
import type { Measurement } from '../measurement.ts';
import { alternate, poolRounds, type Round, sumPerCost } from '../pooled-ratio.ts';

const [WARM_UP_ROUNDS, ROUNDS] = [2, 15];
const PACKAGES = import.meta.resolve('./postgres-and-s3-packages.ts');
const POLL_INTERVAL_MS = 5;

/** What a start took until the first request was answered. */
type Start = { seconds: number; cpuSeconds: number };

/** The program to start, and what it is called in the result. */
type Program = { name: string; nodeArguments: readonly string[] };

const OURS: Program = { name: 'start with SQLite', nodeArguments: SERVICE_ARGUMENTS };

/**
 * Compares the start of an installation with SQLite and a folder with two others: the same one that also loads the packages for PostgreSQL
 * and S3, which is what these would cost every installation; and the program in the folder CLOCHE_BENCH_BASELINE, an earlier revision.
 */
export async function measureStart(): Promise<Measurement[]> {
  const withPackages = {
    name: 'with the packages for PostgreSQL and S3',
    nodeArguments: ['--import', PACKAGES, ...SERVICE_ARGUMENTS],
  };
  return [...(await measureBaseline()), ...(await compareStarts(withPackages))];
}

async function measureBaseline(): Promise<Measurement[]> {
  const name = 'the program in CLOCHE_BENCH_BASELINE';
  const folder = process.env.CLOCHE_BENCH_BASELINE;
  if (folder === undefined) {
    const detail =
      'CLOCHE_BENCH_BASELINE is not set. CONTRIBUTING.md says how to prepare its folder';
    return [{ label: `${OURS.name} / ${name}`, value: undefined, unit: '', atMost: 1, detail }];
  }
  const [flag = ''] = SERVICE_ARGUMENTS;
  return compareStarts({ name, nodeArguments: [flag, join(folder, 'server/src/main.ts')] });
}

/** Starts both programs alternately. Each has a data directory of its own, whose tables the warm-up creates. */
async function compareStarts(baseline: Program): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const programs = await Promise.all(
    [OURS, baseline].map(async (program) => {
      const folder = await mkdtempDisposable(join(tmpdir(), 'cloche-start-'));
      return { ...program, folder: resources.use(folder).path };
    }),
  );
  const starts: [Start[], Start[]] = [[], []];
  const plan = { warmUpRounds: WARM_UP_ROUNDS, rounds: ROUNDS, count: starts.length };
  await alternate(plan, async (index, round) => {
    const { folder, nodeArguments } = programs[index] as (typeof programs)[number];
    const start = await startAndStop(folder, nodeArguments);
    if (round >= 0) starts[index as 0 | 1].push(start);
  });
  const label = `${OURS.name} / ${baseline.name}`;
  return [
    toMeasurement(`${label}: time`, starts, ({ seconds }) => seconds),
    toMeasurement(`${label}: processor time`, starts, ({ cpuSeconds }) => cpuSeconds),
  ];
}

function toMeasurement(
  label: string,
  starts: readonly [Start[], Start[]],
  toCost: (start: Start) => number,
): Measurement {
  const [ours, baseline] = starts.map((list): Round[] =>
    list.map((start) => ({ done: 1, cost: toCost(start) })),
  ) as [Round[], Round[]];
  // The ratio of times is that of starts per time, turned around.
  const { ratio, spread } = poolRounds(baseline, ours);
  const [mean, baselineMean] = [ours, baseline].map((list) => (1 / sumPerCost(list)).toFixed(3));
  const [median, baselineMedian] = [ours, baseline].map((list) => toMedian(list).toFixed(3));
  return {
    label,
    value: ratio,
    unit: '',
    atMost: 1,
    spread,
    detail: `mean ${mean} s instead of ${baselineMean}, median ${median} instead of ${baselineMedian}; ${ROUNDS} alternating starts of each, until /livez responds`,
  };
}

function toMedian(rounds: readonly Round[]): number {
  const sorted = rounds.map(({ cost }) => cost).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function startAndStop(folder: string, nodeArguments: readonly string[]): Promise<Start> {
  const port = await findFreePort();
  const env = {
    PATH: process.env.PATH,
    CLOCHE_CHROMIUM: 'none',
    CLOCHE_PORT: String(port),
    CLOCHE_DATA: join(folder, 'data'),
    CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder, 'bootstrap-token'),
  };
  const startMs = performance.now();
  const child = spawn(process.execPath, nodeArguments, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  try {
    while (!(await isAlive(port))) {
      if (child.exitCode !== null) throw new Error(`The service did not start: ${errors}`);
      await sleep(POLL_INTERVAL_MS);
    }
    const seconds = (performance.now() - startMs) / 1000;
    return { seconds, cpuSeconds: readCpuSeconds(child.pid ?? 0) };
  } finally {
    await stopProcess(child, 'SIGTERM');
  }
}

function isAlive(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
}
