import type { ProgressListener } from '../../processing-steps.ts';
import type { WorkerReport } from '../../worker-report.ts';

/**
 * Forwards progress to `onProgress` and measures the duration of each step, from its first report to
 * the first report of the next step.
 */
export function createStepTimer(onProgress: ProgressListener): {
  reportProgress: ProgressListener;
  finish(): WorkerReport['steps'];
} {
  const steps: WorkerReport['steps'] = [];
  let startedAt = performance.now();
  const addElapsed = () => {
    const now = performance.now();
    const current = steps.at(-1);
    if (current) current.durationMs += now - startedAt;
    startedAt = now;
  };
  const reportProgress: ProgressListener = (step, percent) => {
    addElapsed();
    if (steps.at(-1)?.name !== step) steps.push({ name: step, durationMs: 0 });
    onProgress(step, percent);
  };
  const finish = () => {
    addElapsed();
    return steps.map(({ name, durationMs }) => ({ name, durationMs: Math.round(durationMs) }));
  };
  return { reportProgress, finish };
}
