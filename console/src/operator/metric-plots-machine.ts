import { operatorTexts } from '../i18n/en/operator.ts';
import { formatBytes } from '../ui/format.ts';
import { COUNTS, PERCENTS, type PlotOfSamples, TIMES } from './plot-of-samples.ts';

const t = operatorTexts.metrics;
/** A hundredth of a minute. */
const PERCENT_MS = 600;

/** The plots about the machines of the service, and the processes on them. */
export const machinePlots: Record<string, PlotOfSamples> = {
  cpu: {
    title: t.cpu.title,
    unit: t.cpu.unit,
    ...PERCENTS,
    lines: [[t.cpu.line, 'first', ({ cpuMs }) => cpuMs / PERCENT_MS]],
  },
  eventLoop: {
    title: t.eventLoop.title,
    unit: t.milliseconds,
    ...TIMES,
    lines: [
      [t.p95, 'first', ({ eventLoop }) => eventLoop?.p95Ms ?? null],
      [t.eventLoop.longest, 'second', ({ eventLoop }) => eventLoop?.longestMs ?? null],
    ],
  },
  garbageCollection: {
    title: t.garbageCollection.title,
    unit: t.garbageCollection.unit,
    ...PERCENTS,
    lines: [
      [
        t.garbageCollection.line,
        'first',
        ({ garbageCollectionMs }) => garbageCollectionMs / PERCENT_MS,
      ],
    ],
  },
  openFiles: {
    title: t.openFiles.title,
    unit: t.openFiles.unit,
    ...COUNTS,
    lines: [[t.openFiles.line, 'first', ({ openFiles }) => openFiles]],
    applies: (samples) => samples.some(({ openFiles }) => openFiles !== null),
  },
  memory: {
    title: t.memory.title,
    unit: t.memory.unit,
    formatValue: formatBytes,
    lines: [[t.memory.line, 'first', ({ memoryBytes }) => memoryBytes]],
  },
  disk: {
    title: t.disk.title,
    unit: t.disk.unit,
    formatValue: formatBytes,
    lines: [[t.disk.line, 'first', ({ freeBytes }) => freeBytes]],
  },
};
