import type { WorkerRejection } from '../../worker-report.ts';
import { EXIT_REJECTED } from '../worker-protocol.ts';
import { toDesignProblem } from './errors.ts';
import { exitWithParent, reportMemoryAtExit } from './parent-channel.ts';
import { sendResult } from './send-result.ts';

const MAX_DETAIL_LENGTH = 2000;

/**
 * Runs the job of a worker and exits the process: 0 on success, 2 when the file is rejected, with
 * the reason in the result `rejection.json`, else 1. The stack goes to stderr.
 */
export async function runJob(work: () => Promise<void>): Promise<never> {
  exitWithParent();
  reportMemoryAtExit();
  try {
    await work();
    process.exit(0);
  } catch (error) {
    console.error(error);
    const problem = toDesignProblem(error);
    if (problem === undefined) process.exit(1);
    const rejection: WorkerRejection = {
      code: problem.code,
      detail: problem.message.slice(0, MAX_DETAIL_LENGTH),
    };
    sendResult('rejection.json', JSON.stringify(rejection));
    process.exit(EXIT_REJECTED);
  }
}
