/**
 * Compares the time that files take to process with what they decode to: no file may take more than five times
 * the median of ordinary models. Files that the validation refuses take the time of their validation.
 *
 * Run it on an idle machine: `npm run bench:processing-time`. The exit code is 1 if a file takes too long.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { validateModel } from '@cloche/pipeline/formats/validate-model';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { makeBox } from '@cloche/pipeline/testing/models';
import { createBufferReader } from '@cloche/pipeline/validation/byte-reader';
import { median } from './bench-result.ts';
import { listHostileModels, listOrdinaryModels, type NamedFile } from './processing-time-files.ts';

const MAX_RATIO = 5;
const ROUNDS = 3;
/** Smaller files count as this: nobody waits for the difference. */
const MIN_DECODED_BYTES = 1e6;

type Measurement = { name: string; outcome: string; decodedMb: number; ms: number };

const sandbox = await openSandbox({ level: 'auto' });
const startupMs = (await measure({ name: 'box', make: makeBox })).ms;
console.log(
  `A box takes ${Math.round(startupMs)} ms, mostly to start the process; subtracted below.\n`,
);
const ordinary = await measureAll(listOrdinaryModels());
const referenceMs = median(ordinary.map(toMsPerMb));
const hostile = await measureAll(listHostileModels());
console.log(`Median of the ordinary models: ${referenceMs.toFixed(0)} ms for each decoded MB\n`);
const ratios = [...ordinary, ...hostile].map(printRatio);
const worst = Math.max(...ratios);
console.log(`\nThe highest ratio is ${worst.toFixed(1)}; at most ${MAX_RATIO} is allowed.`);
process.exitCode = worst > MAX_RATIO ? 1 : 0;

async function measureAll(files: readonly NamedFile[]): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const file of files) measurements.push(await measure(file));
  return measurements;
}

/** The fastest of several rounds: everything else on the machine only makes it slower. */
async function measure({ name, make }: NamedFile): Promise<Measurement> {
  const bytes = await make();
  let best: Measurement | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const measurement = { name, ...(await processOnce(bytes)) };
    if (best === undefined || measurement.ms < best.ms) best = measurement;
  }
  return best as Measurement;
}

async function processOnce(bytes: Buffer): Promise<Omit<Measurement, 'name'>> {
  const directory = await mkdtemp(join(tmpdir(), 'cloche-bench-'));
  const start = performance.now();
  const finish = (outcome: string, decodedBytes: number) => ({
    outcome,
    decodedMb: Math.max(decodedBytes, MIN_DECODED_BYTES) / 1e6,
    ms: performance.now() - start,
  });
  try {
    const { detectedFormat, decodedBytes } = await validateModel(createBufferReader(bytes));
    await mkdir(join(directory, 'out'));
    await writeFile(join(directory, 'source'), bytes);
    await writeFile(join(directory, 'job.json'), JSON.stringify({ detectedFormat, options: {} }));
    const result = await sandbox.run(directory, { decodedBytes });
    return finish(result.ok ? 'ready' : result.code, decodedBytes);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return finish(`refused: ${error.reason ?? error.code}`, bytes.length);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function toMsPerMb({ ms, decodedMb, outcome }: Measurement): number {
  return Math.max(0, outcome.startsWith('refused') ? ms : ms - startupMs) / decodedMb;
}

function printRatio(measurement: Measurement): number {
  const { name, outcome, decodedMb, ms } = measurement;
  const ratio = toMsPerMb(measurement) / referenceMs;
  const numbers = `${Math.round(ms)} ms, ${decodedMb.toFixed(1)} MB, ${outcome}`;
  console.log(`${ratio.toFixed(2).padStart(6)}  ${name.padEnd(46)} ${numbers}`);
  return ratio;
}
