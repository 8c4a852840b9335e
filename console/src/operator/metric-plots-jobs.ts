import { operatorTexts } from '../i18n/en/operator.ts';
import { formatBytes } from '../ui/format.ts';
import { COUNTS, type PlotOfSamples, SECONDS } from './plot-of-samples.ts';

const t = operatorTexts.metrics;

/** The plots about jobs and their workers. */
export const jobPlots: Record<string, PlotOfSamples> = {
  jobs: {
    title: t.jobs.title,
    unit: t.jobs.unit,
    ...COUNTS,
    lines: [
      [t.waiting, 'second', ({ jobs }) => jobs.waiting],
      [t.jobs.running, 'first', ({ jobs }) => jobs.running],
    ],
  },
  jobAge: {
    title: t.jobAge.title,
    unit: t.jobAge.unit,
    ...SECONDS,
    minStep: 1,
    lines: [[t.jobAge.line, 'first', ({ jobs }) => jobs.oldestWaitingSeconds]],
  },
  jobsEnded: {
    title: t.jobsEnded.title,
    unit: t.perMinute,
    ...COUNTS,
    lines: [
      [t.jobsEnded.ready, 'first', ({ jobs }) => jobs.ready],
      [t.failed, 'bad', ({ jobs }) => jobs.failed],
    ],
  },
  workerTime: {
    title: t.workerTime.title,
    unit: t.workerTime.unit,
    ...SECONDS,
    lines: [
      [t.workerTime.mean, 'first', ({ workers }) => toSeconds(workers.meanMs)],
      [t.workerTime.longest, 'second', ({ workers }) => toSeconds(workers.longestMs)],
    ],
  },
  workerMemory: {
    title: t.workerMemory.title,
    unit: t.workerMemory.unit,
    formatValue: formatBytes,
    lines: [[t.workerMemory.line, 'first', ({ workers }) => workers.memoryBytes]],
  },
};

function toSeconds(durationMs: number | null): number | null {
  return durationMs === null ? null : durationMs / 1000;
}
