import { median } from '../bench-result.ts';
import type { Measurement } from '../measurement.ts';

/** The visits of one model, in the order of the rounds. */
export type GridResult = {
  label: string;
  /** Of the source file. */
  model: { bytes: number; textured: boolean };
  cloche: readonly GridSample[];
  /** In an iframe each, like the embeds of Cloche. */
  modelViewer: readonly GridSample[];
  /** In one page. */
  modelViewerElements: readonly GridSample[];
};

export type GridSample = {
  fullMs: number;
  /** Memory minus that of an empty page; undefined except on Linux. */
  addedMemoryBytes: number | undefined;
};

/** The part of the time of as many iframes with model-viewer. */
const TIME_FACTOR = 0.12;
/** The parts of their memory. */
const MEMORY_FACTOR = 0.6;
const TEXTURED_MEMORY_FACTOR = 0.3;
const MIN_TEXTURED_BYTES = 3_000_000;
const MEBIBYTE = 2 ** 20;

/** Compares the medians with the goals, which are those for iframes. The elements have none. */
export function listMeasurements(result: GridResult): Measurement[] {
  const { label, model, cloche, modelViewer, modelViewerElements } = result;
  const isLarge = model.textured && model.bytes >= MIN_TEXTURED_BYTES;
  const compare = (
    name: string,
    others: readonly GridSample[],
    { unit, read }: { unit: string; read: (sample: GridSample) => number | undefined },
  ) => {
    const [ours, theirs] = [cloche, others].map((samples) => {
      const values = samples.flatMap((sample) => read(sample) ?? []);
      return values.length === 0 ? undefined : median(values);
    });
    const value = ours === undefined || theirs === undefined ? undefined : ours / theirs;
    const numbers = [ours, theirs].map((number) => number?.toFixed(0) ?? '–');
    const detail = `${numbers[0]} against ${numbers[1]} ${unit}`;
    return { label: `${label}: ${name}`, value, unit: '', detail };
  };
  const memoryFactor = isLarge ? TEXTURED_MEMORY_FACTOR : MEMORY_FACTOR;
  return [
    { ...compare('time', modelViewer, TIME), atMost: TIME_FACTOR },
    { ...compare('memory', modelViewer, MEMORY), atMost: memoryFactor },
    compare('time, elements in one page', modelViewerElements, TIME),
    compare('memory, elements in one page', modelViewerElements, MEMORY),
  ];
}

const TIME = { unit: 'ms', read: ({ fullMs }: GridSample) => fullMs };
const MEMORY = {
  unit: 'MiB',
  read: ({ addedMemoryBytes: bytes }: GridSample) => bytes && bytes / MEBIBYTE,
};
