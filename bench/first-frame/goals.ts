import { compareWithTarget, type MeasurementResult } from '../measurement.ts';
import { CLOCHE } from './command-line.ts';
import { type Results, type Sample, type SampleValue, takeMedian } from './results.ts';

/** A goal of one model, network and visit, compared with the medians. */
export type JudgedGoal = Pick<Sample, 'model' | 'network' | 'visit'> & {
  name: 'full' | 'blocking' | 'memory' | 'poster';
  value: number | undefined;
  atMost: number;
  unit: 'ms' | 'MiB' | 'kB';
  result: MeasurementResult;
};

/** How far the median of five may exceed a goal for *full* or *blocking*. */
const ALLOWANCE = 1.05;
/** Smaller source files have the goal of models without textures. */
const MIN_LARGE_BYTES = 1_000_000;
/** By network: the time of a large model with textures, as a part of that of the fastest other viewer. */
const FULL_FACTORS: Record<string, number> = { none: 1, '20': 0.6, '1.6': 0.4 };
/**
 * On this network, the poster must be visible with the first ten packets, which TCP sends without waiting for an answer, or in this
 * part of the time until the first 3D frame.
 */
const POSTER_NETWORK = '1.6';
const POSTER_FACTOR = 0.3;
const TEN_PACKETS_BYTES = 10 * 1460;
/** The part of model-viewer’s memory. */
const MEMORY_FACTOR = 0.6;

/** The units of values that are no times, and how much one is. */
const UNITS: Partial<Record<SampleValue, readonly ['MiB' | 'kB', number]>> = {
  addedMemoryBytes: ['MiB', 2 ** 20],
  recognizableBytes: ['kB', 1000],
};

/** Compares the medians of Cloche with the goals. Without a value to compare with, there is no goal. */
export function judgeGoals(results: Results): JudgedGoal[] {
  return listLoads(results).flatMap((load) => {
    const others = Object.keys(results.versions).filter((name) => name !== CLOCHE);
    const get = (contender: string, value: SampleValue) =>
      takeMedian(results, { ...load, contender }, value);
    const best = (value: SampleValue) => {
      const values = others.flatMap((name) => get(name, value) ?? []);
      return values.length === 0 ? undefined : Math.min(...values);
    };
    const judge = (
      name: JudgedGoal['name'],
      { value, base, factor }: { value: SampleValue; base: number | undefined; factor: number },
    ): JudgedGoal[] => {
      if (base === undefined) return [];
      const [unit, divisor] = UNITS[value] ?? (['ms', 1] as const);
      const isTimeOfOthers = name === 'full' || name === 'blocking';
      const ours = get(CLOCHE, value);
      const numbers = {
        value: ours === undefined ? undefined : ours / divisor,
        atMost: (base * factor * (isTimeOfOthers ? ALLOWANCE : 1)) / divisor,
      };
      const result = compareWithTarget({ label: name, unit, ...numbers });
      return [{ ...load, name, unit, ...numbers, result }];
    };
    const memoryBase = get('model-viewer', 'addedMemoryBytes');
    const posterBytes = get(CLOCHE, 'recognizableBytes') ?? Number.POSITIVE_INFINITY;
    const poster =
      posterBytes <= TEN_PACKETS_BYTES
        ? ({ value: 'recognizableBytes', base: TEN_PACKETS_BYTES, factor: 1 } as const)
        : {
            value: 'recognizableMs' as const,
            base: get(CLOCHE, 'first3dMs'),
            factor: POSTER_FACTOR,
          };
    return [
      judge('full', { value: 'fullMs', base: best('fullMs'), factor: fullFactor(results, load) }),
      judge('blocking', { value: 'blockingMs', base: best('blockingMs'), factor: 1 }),
      judge('memory', { value: 'addedMemoryBytes', base: memoryBase, factor: MEMORY_FACTOR }),
      load.network === POSTER_NETWORK ? judge('poster', poster) : [],
    ].flat();
  });
}

/** Says whether a goal is not met, or Cloche could not be measured. */
export function hasFailure(results: Results): boolean {
  return (
    judgeGoals(results).some(({ result }) => result === 'NOT MET' || result === 'not measured') ||
    results.samples.some(({ contender, error }) => contender === CLOCHE && error !== undefined)
  );
}

function listLoads({ samples }: Results) {
  const ours = samples.filter(
    ({ contender, error }) => contender === CLOCHE && error === undefined,
  );
  const loads = ours.map(({ model, network, visit }) => ({ model, network, visit }));
  return [...Map.groupBy(loads, (load) => JSON.stringify(load)).values()].flatMap(
    ([load]) => load ?? [],
  );
}

function fullFactor({ models }: Results, { model, network }: Pick<Sample, 'model' | 'network'>) {
  const { bytes = 0, textured = false } = models.find(({ name }) => name === model) ?? {};
  return textured && bytes >= MIN_LARGE_BYTES ? (FULL_FACTORS[network] ?? 1) : 1;
}
