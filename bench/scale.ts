/**
 * Measures several nodes on PostgreSQL, and compares each number with its target. Run it with `npm run bench:scale`, on Linux. Arguments
 * select what is measured: `npm run bench:scale -- revocation document`. `--jobs=500` is another number of jobs for `queue`, and
 * `--designs=1000` of designs for `move`. Fails if a target is not met, or if something cannot be measured because of an error.
 */
import { parseArgs } from 'node:util';
import { buildWorkspaces } from '../scripts/build-workspaces.ts';
import {
  type Measurement,
  type MeasurementResult,
  printMeasurement,
  printTableHead,
} from './measurement.ts';
import { measureBucketOutage } from './scale/bucket-outage.ts';
import { measureDocument } from './scale/document.ts';
import { measureEventCut } from './scale/event-cut.ts';
import { measureLargeModel } from './scale/large-model.ts';
import { MOVED_DESIGNS, measureMove } from './scale/move.ts';
import { measureQueueTargets } from './scale/queue-targets.ts';
import { measureRecovery } from './scale/recovery.ts';
import { measureRevocation } from './scale/revocation.ts';
import { measureStart } from './scale/start.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '10000' },
    designs: { type: 'string', default: String(MOVED_DESIGNS) },
  },
});
const jobs = parseCount('jobs');
const designs = parseCount('designs');

const MEASUREMENTS = new Map<string, () => Promise<Measurement[]>>([
  ['queue', () => measureQueueTargets(jobs)],
  ['revocation', measureRevocation],
  ['bus-cut', measureEventCut],
  ['document', measureDocument],
  ['s3', measureLargeModel],
  ['recovery', measureRecovery],
  ['bucket-outage', measureBucketOutage],
  ['move', () => measureMove(designs)],
  ['start', measureStart],
]);
const names = positionals.length === 0 ? [...MEASUREMENTS.keys()] : positionals;
for (const name of names)
  if (!MEASUREMENTS.has(name))
    throw new Error(`${name} is unknown. Choose from: ${[...MEASUREMENTS.keys()].join(', ')}.`);

await buildWorkspaces({ onlyIfChanged: true });
printTableHead();
const counts = new Map<MeasurementResult | 'failed', number>();
for (const name of names) {
  const startMs = performance.now();
  try {
    for (const measurement of (await MEASUREMENTS.get(name)?.()) ?? [])
      count(printMeasurement(measurement));
  } catch (error) {
    // The others can be measured.
    count('failed');
    console.log(`${name}: failed`, error);
  }
  console.log(`  ${name}: ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
}
const targets = ['met', 'NOT MET', 'inconclusive', 'not measured', 'failed'] as const;
console.log(
  `\nTargets: ${targets.map((result) => `${counts.get(result) ?? 0} ${result}`).join(', ')}`,
);
if (counts.has('NOT MET') || counts.has('failed')) process.exitCode = 1;

function count(result: MeasurementResult | 'failed'): void {
  counts.set(result, (counts.get(result) ?? 0) + 1);
}

function parseCount(name: keyof typeof values): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${name}=${values[name]} is not a number.`);
  return number;
}
