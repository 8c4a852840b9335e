/**
 * Compares the processor time that files take with what they decode to: no file may take more than five times
 * the median of ordinary models. Files that the validation refuses take the time of their validation.
 *
 * Run it with `npm run bench:processing-time`, on Linux. It measures processor time, so other programs matter
 * little; a file above the limit is measured again. The exit code is 1 if a file takes too long.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { validateModel } from '@cloche/pipeline/formats/validate-model';
import { getDefaultLimits, getTimeoutMs } from '@cloche/pipeline/sandbox/limits';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { makeBox } from '@cloche/pipeline/testing/models';
import { createBufferReader } from '@cloche/pipeline/validation/byte-reader';
import { median } from './bench-result.ts';
import { readChildrenCpuSeconds } from './cpu-time.ts';
import { listHostileModels, listOrdinaryModels, type NamedFile } from './processing-time-files.ts';

const MAX_RATIO = 5;
/** How often a file above the limit is measured at most; the fastest counts. */
const MAX_ROUNDS = 3;
/** Smaller files count as this: nobody waits for the difference. */
const MIN_DECODED_BYTES = 1e6;
const SANDBOX_LIMITS = getDefaultLimits();

type Measurement = { outcome: string; decodedMb: number; cpuMs: number; timeLimitMs: number };

// Bubblewrap ends before the processes in it, which would then not be counted.
const sandbox = await openSandbox({ level: 'reduced' });
const startupMs = (await processOnce(makeBox())).cpuMs;
console.log(`A box takes ${Math.round(startupMs)} ms, to start the process; subtracted below.`);
console.log('Processor time, decoded size, outcome, share of the time limit\n');

const ordinary: number[] = [];
for (const { name, make } of listOrdinaryModels()) {
  const measurement = await processOnce(await make());
  ordinary.push(toMsPerMb(measurement));
  printLine(name, measurement, '');
}
const referenceMs = median(ordinary);
console.log(`\nMedian of these: ${referenceMs.toFixed(0)} ms for each decoded MB\n`);

let worst = 0;
for (const file of listHostileModels()) worst = Math.max(worst, await measureRatio(file));
console.log(`\nThe highest ratio is ${worst.toFixed(1)}; at most ${MAX_RATIO} is allowed.`);
process.exitCode = worst > MAX_RATIO ? 1 : 0;

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
  const finish = (outcome: string, decodedBytes: number): Measurement => ({
    outcome,
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
    // The time limit is wall-clock time, which depends on the machine.
    const result = await sandbox.run(directory, { timeoutMs: SANDBOX_LIMITS.timeoutMs });
    return finish(result.ok ? 'ready' : result.code, decodedBytes);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return finish(`refused: ${error.reason ?? error.code}`, bytes.length);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function toMsPerMb({ cpuMs, decodedMb, outcome }: Measurement): number {
  return Math.max(0, outcome.startsWith('refused') ? cpuMs : cpuMs - startupMs) / decodedMb;
}

function printLine(name: string, measurement: Measurement, ratio: string): void {
  const { outcome, decodedMb, cpuMs, timeLimitMs } = measurement;
  const share = `${((100 * cpuMs) / timeLimitMs).toFixed(1)} %`;
  const numbers = `${Math.round(cpuMs)} ms, ${decodedMb.toFixed(1)} MB, ${outcome}, ${share}`;
  console.log(`${ratio.padStart(6)}  ${name.padEnd(46)} ${numbers}`);
}
