import type { ProgressListener } from '../../processing-steps.ts';
import type { WorkerReport } from '../worker-report.ts';

/** Passes a job's progress on, and notes how long each step took: from its first word to the next step's. */
export function createStepTimer(pass: ProgressListener): {
  tell: ProgressListener;
  finish(): WorkerReport['steps'];
} {
  const steps: WorkerReport['steps'] = [];
  let started = performance.now();
  const close = () => {
    const now = performance.now();
    const last = steps.at(-1);
    if (last) last.ms += now - started;
    started = now;
  };
  const tell: ProgressListener = (step, percent) => {
    close();
    if (steps.at(-1)?.name !== step) steps.push({ name: step, ms: 0 });
    pass(step, percent);
  };
  const finish = () => {
    close();
    return steps.map(({ name, ms }) => ({ name, ms: Math.round(ms) }));
  };
  return { tell, finish };
}
