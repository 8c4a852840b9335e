import { median } from '../bench-result.ts';
import type { Measurement } from '../measurement.ts';

/** The visits of one model, in the order of the rounds. */
export type GridResult = {
  label: string;
  /** Of the source file. */
  model: { bytes: number; textured: boolean };
  cloche: readonly GridSample[];
  modelViewer: readonly GridSample[];
};

export type GridSample = {
  fullMs: number;
  /** Memory minus that of an empty page; undefined except on Linux. */
  addedMemoryBytes: number | undefined;
};

/** The part of model-viewer’s time. */
const TIME_FACTOR = 0.12;
/** The parts of model-viewer’s memory. */
const MEMORY_FACTOR = 0.6;
const TEXTURED_MEMORY_FACTOR = 0.3;
const MIN_TEXTURED_BYTES = 3_000_000;
const MEBIBYTE = 2 ** 20;

/** Compares the medians of both with the goals. */
export function listMeasurements(result: GridResult): Measurement[] {
  const { label, model, cloche, modelViewer } = result;
  const isLarge = model.textured && model.bytes >= MIN_TEXTURED_BYTES;
  const compare = (
    name: string,
    unit: string,
    read: (sample: GridSample) => number | undefined,
  ) => {
    const [ours, theirs] = [cloche, modelViewer].map((samples) => {
      const values = samples.flatMap((sample) => read(sample) ?? []);
      return values.length === 0 ? undefined : median(values);
    });
    const value = ours === undefined || theirs === undefined ? undefined : ours / theirs;
    const numbers = [ours, theirs].map((number) => number?.toFixed(0) ?? '–');
    const detail = `${numbers[0]} against ${numbers[1]} ${unit}`;
    return { label: `${label}: ${name}`, value, unit: '', detail };
  };
  return [
    { ...compare('time', 'ms', ({ fullMs }) => fullMs), atMost: TIME_FACTOR },
    {
      ...compare('memory', 'MiB', ({ addedMemoryBytes: bytes }) => bytes && bytes / MEBIBYTE),
      atMost: isLarge ? TEXTURED_MEMORY_FACTOR : MEMORY_FACTOR,
    },
  ];
}
