/**
 * Compares the processor time that files take with what they decode to: no file may take more than five times
 * the median of ordinary models. Files that the validation refuses take the time of their validation.
 *
 * The fixed time of each format, to start a worker and to load its library, is measured with the smallest of several
 * small files in the same run, and subtracted. It must not depend on the file: the small files may differ
 * by no more than what a file of a megabyte may take.
 *
 * Run it with `npm run bench:processing-time`, on Linux. It measures processor time, so other programs matter
 * little; a file above the limit is measured again. The exit code is 1 if a file takes too long. With the path of a file
 * as argument, that file is compared instead of the hostile ones.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { getWorkerFlags } from '@cloche/pipeline/formats/registry';
import { validateModel } from '@cloche/pipeline/formats/validate-model';
import { getDefaultLimits, getTimeoutMs } from '@cloche/pipeline/sandbox/limits';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { createBufferReader } from '@cloche/pipeline/validation/byte-reader';
import { median } from './bench-result.ts';
import { readChildrenCpuSeconds } from './cpu-time.ts';
import {
  listHostileModels,
  listOrdinaryModels,
  listSmallFiles,
  type NamedFile,
} from './processing-time-files.ts';

const MAX_RATIO = 5;
/** How often a file above the limit is measured at most; the fastest counts. */
const MAX_ROUNDS = 3;
/** Smaller files count as this: nobody waits for the difference. */
const MIN_DECODED_BYTES = 1e6;
const SANDBOX_LIMITS = getDefaultLimits();

type Measurement = {
  outcome: string;
  format: string;
  decodedMb: number;
  cpuMs: number;
  timeLimitMs: number;
};

// Bubblewrap ends before the processes in it, which would then not be counted.
const sandbox = await openSandbox({ level: 'reduced' });
console.log(
  'Fixed time of each format: to start a worker, load the library, and read a small file\n',
);
const fixedTimes = new Map<string, FixedTime>();
for (const [format, files] of listSmallFiles())
  fixedTimes.set(format, await measureFixedTime(format, files));

console.log(
  '\nRatio, file, processor time, of which fixed, decoded size, outcome, share of the time limit\n',
);
const ordinary: number[] = [];
for (const { name, make } of listOrdinaryModels()) {
  const measurement = await processOnce(await make());
  ordinary.push(toMsPerMb(measurement));
  printLine(name, measurement, '');
}
const referenceMs = median(ordinary);
console.log(`\nMedian of these: ${referenceMs.toFixed(0)} ms for each decoded MB\n`);

const failures: string[] = [];
let worst = 0;
for (const file of await listComparedModels()) {
  const ratio = await measureRatio(file);
  worst = Math.max(worst, ratio);
  if (ratio > MAX_RATIO) failures.push(`${file.name}: ${ratio.toFixed(1)}`);
}
for (const [format, { minMs, maxMs }] of fixedTimes) {
  const ratio = (maxMs - minMs) / referenceMs;
  if (ratio > MAX_RATIO) failures.push(`the fixed time of ${format}: ${ratio.toFixed(1)}`);
}
console.log(`\nThe highest ratio is ${worst.toFixed(1)}; at most ${MAX_RATIO} is allowed.`);
for (const failure of failures) console.log(`Too long: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Of the small files of a format. */
type FixedTime = { minMs: number; maxMs: number };

/** The hostile models, or with a path as argument, that file. */
async function listComparedModels(): Promise<NamedFile[]> {
  const [path] = process.argv.slice(2);
  return path === undefined ? listHostileModels() : [{ name: path, make: () => readFile(path) }];
}

/** Measures each file until it takes no longer than before: the first may read the library from the disk. */
async function measureFixedTime(format: string, files: readonly Buffer[]): Promise<FixedTime> {
  const times: number[] = [];
  for (const bytes of files) {
    const rounds: number[] = [];
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { outcome, cpuMs } = await processOnce(bytes);
      if (outcome !== 'ready') throw new Error(`A small ${format} was not processed: ${outcome}`);
      rounds.push(cpuMs);
    }
    times.push(Math.min(...rounds));
  }
  const fixedTime = { minMs: Math.min(...times), maxMs: Math.max(...times) };
  const list = times.map((time) => Math.round(time)).join(', ');
  console.log(`${format.padStart(6)}  ${Math.round(fixedTime.minMs)} ms (files: ${list})`);
  return fixedTime;
}

/** Measures a file again while it is above the limit: it may be the machine. */
async function measureRatio({ name, make }: NamedFile): Promise<number> {
  const bytes = await make();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && best > MAX_RATIO; round++) {
    const measurement = await processOnce(bytes);
    const ratio = toMsPerMb(measurement) / referenceMs;
    printLine(name, measurement, ratio.toFixed(2));
    best = Math.min(best, ratio);
  }
  return best;
}

async function processOnce(bytes: Buffer): Promise<Measurement> {
  const directory = await mkdtemp(join(tmpdir(), 'cloche-bench-'));
  const start = process.cpuUsage();
  const startChildren = readChildrenCpuSeconds();
  let ownMs = 0;
  const finish = (outcome: string, format: string, decodedBytes: number): Measurement => ({
    outcome,
    format,
    decodedMb: Math.max(decodedBytes, MIN_DECODED_BYTES) / 1e6,
    cpuMs: ownMs + 1000 * (readChildrenCpuSeconds() - startChildren),
    timeLimitMs: getTimeoutMs(decodedBytes, SANDBOX_LIMITS),
  });
  const endValidation = () => {
    const { user, system } = process.cpuUsage(start);
    ownMs = (user + system) / 1000;
  };
  try {
    const validation = validateModel(createBufferReader(bytes)).finally(endValidation);
    const { detectedFormat, decodedBytes } = await validation;
    await mkdir(join(directory, 'out'));
    await writeFile(join(directory, 'source'), bytes);
    await writeFile(join(directory, 'job.json'), JSON.stringify({ detectedFormat, options: {} }));
    const result = await sandbox.run(directory, {
      // The time limit is wall-clock time, which depends on the machine.
      timeoutMs: SANDBOX_LIMITS.timeoutMs,
      workerFlags: getWorkerFlags(detectedFormat.format),
    });
    return finish(result.ok ? 'ready' : result.code, detectedFormat.format, decodedBytes);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return finish(`refused: ${error.reason ?? error.code}`, '', bytes.length);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A file that is refused needs no worker. */
function getFixedMs({ format }: Measurement): number {
  return fixedTimes.get(format)?.minMs ?? 0;
}

function toMsPerMb(measurement: Measurement): number {
  return Math.max(0, measurement.cpuMs - getFixedMs(measurement)) / measurement.decodedMb;
}

function printLine(name: string, measurement: Measurement, ratio: string): void {
  const { outcome, decodedMb, cpuMs, timeLimitMs } = measurement;
  const share = `${((100 * cpuMs) / timeLimitMs).toFixed(1)} %`;
  const times = `${Math.round(cpuMs)} ms, ${Math.round(getFixedMs(measurement))} ms`;
  const numbers = `${times}, ${decodedMb.toFixed(1)} MB, ${outcome}, ${share}`;
  console.log(`${ratio.padStart(6)}  ${name.padEnd(46)} ${numbers}`);
}
