import { cpus, loadavg } from 'node:os';

/** A number to compare with its target, or why there is none. */
export type Measurement = {
  label: string;
  /** Undefined: it could not be measured. `detail` says why. */
  value: number | undefined;
  unit: string;
  /** The value must be at most, or at least, so large. Without both, it is only printed. */
  atMost?: number;
  atLeast?: number;
  /** How far from the value the true one may be. If the target is nearer, the result is inconclusive. Default: 0. */
  spread?: number;
  /** Other numbers of the same run. */
  detail?: string;
};

/** How a value compares with its target. */
export type MeasurementResult = 'met' | 'NOT MET' | 'inconclusive' | 'not measured' | 'no target';

const COLUMNS = [74, 17, 12, 13, 6] as const;

/** Prints the machine and the headings of the table. */
export function printTableHead(): void {
  console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}\n`);
  printRow(['Measurement', 'Value', 'Target', 'Result', 'Load']);
}

/** Prints a row of the table, and returns its result. */
export function printMeasurement(measurement: Measurement): MeasurementResult {
  const { label, value, unit, atMost, atLeast, spread, detail } = measurement;
  const format = (number: number) => `${Number(number.toFixed(2))} ${unit}`.trim();
  const target =
    atMost !== undefined
      ? `<= ${format(atMost)}`
      : atLeast !== undefined
        ? `>= ${format(atLeast)}`
        : '';
  const result = compareWithTarget(measurement);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const range = spread === undefined ? '' : ` ± ${spread.toFixed(2)}`;
  const text = value === undefined ? '' : `${format(value)}${range}`;
  printRow([label, text, target, result === 'no target' ? '' : result, load]);
  if (detail !== undefined) console.log(`  ${detail}`);
  return result;
}

/** Compares a value with its target. */
export function compareWithTarget(measurement: Measurement): MeasurementResult {
  const { value, atMost, atLeast, spread = 0 } = measurement;
  if (value === undefined) return 'not measured';
  const target = atMost ?? atLeast;
  if (target === undefined) return 'no target';
  if (spread > Math.abs(value - target)) return 'inconclusive';
  return (atMost === undefined ? value >= target : value <= target) ? 'met' : 'NOT MET';
}

function printRow(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => cell.padEnd(COLUMNS[index] ?? 0)).join(' '));
}
