import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem, type } from 'node:os';
import { median } from '../bench-result.ts';
import type { Visit } from './visit.ts';

/** Everything that the benchmark measured, as it is stored. */
export type Results = {
  takenAt: string;
  machine: {
    cpu: string;
    cores: number;
    memoryGiB: number;
    system: string;
    node: string;
    browser: string;
  };
  /** By contender. */
  versions: Record<string, string>;
  models: { name: string; bytes: number; detail: string; textured?: boolean }[];
  samples: Sample[];
};

/** One visit. Undefined values: the picture was not seen, or the value cannot be measured on this system. */
export type Sample = {
  model: string;
  network: string;
  contender: string;
  visit: 'cold' | 'warm';
} & Partial<Visit> & {
    /** Until the canvas alone shows the model, recognizable; for Cloche measured without the poster. */
    first3dMs?: number;
    first3dBytes?: number;
    /** Until the picture of the canvas alone does not change anymore. */
    canvasFullMs?: number;
    canvasFullBytes?: number;
    /** Memory minus that of an empty page. */
    addedMemoryBytes?: number;
    error?: string;
  };

export type SampleValue = {
  [Key in keyof Sample]-?: NonNullable<Sample[Key]> extends number ? Key : never;
}[keyof Sample];

export function createResults(browser: string): Results {
  const [cpu] = cpus();
  return {
    takenAt: new Date().toISOString(),
    machine: {
      cpu: cpu?.model ?? 'unknown',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: type(),
      node: process.version,
      browser,
    },
    versions: {},
    models: [],
    samples: [],
  };
}

type SampleKey = Pick<Sample, 'model' | 'network' | 'contender' | 'visit'>;

/** The poster may equal the final picture, so a load is full when the canvas is, too. */
const CANVAS_VALUES: Partial<Record<SampleValue, SampleValue>> = {
  fullMs: 'canvasFullMs',
  fullBytes: 'canvasFullBytes',
};

/**
 * The median of a value over the rounds; undefined if no round has it. Where the canvas has a value of its own, from other loads,
 * the larger of both medians.
 */
export function takeMedian(
  results: Results,
  key: SampleKey,
  value: SampleValue,
): number | undefined {
  const values = [value, CANVAS_VALUES[value]].flatMap(
    (name) => (name && takeOwnMedian(results, key, name)) ?? [],
  );
  return values.length === 0 ? undefined : Math.max(...values);
}

function takeOwnMedian(
  { samples }: Results,
  key: SampleKey,
  value: SampleValue,
): number | undefined {
  const values = samples
    .filter(
      (sample) =>
        sample.model === key.model &&
        sample.network === key.network &&
        sample.contender === key.contender &&
        sample.visit === key.visit,
    )
    .flatMap((sample) => sample[value] ?? []);
  return values.length === 0 ? undefined : median(values);
}

/** `path` is without the extension. */
export async function writeResults(path: string, results: Results): Promise<void> {
  await writeFile(`${path}.json`, `${JSON.stringify(results, undefined, 1)}\n`);
}

export async function readResults(path: string): Promise<Results> {
  return JSON.parse(await readFile(`${path}.json`, 'utf8'));
}
