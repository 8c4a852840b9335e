import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT_DISK_FULL, EXIT_REJECTED } from '../worker-protocol.ts';
import type { WorkerRejection } from '../worker-report.ts';
import { isSystemError, toDesignProblem } from './errors.ts';
import { exitWithParent } from './parent-channel.ts';

const MAX_DETAIL_LENGTH = 2000;

/**
 * Does the work of a child, and ends the process: 0 when it is done, 2 when the design is refused
 * and `out/failure.json` says why, 3 when the disk is full, 1 for all else. Standard error has the stack.
 */
export async function runJob(work: (folder: string) => Promise<void>): Promise<never> {
  const folder = process.cwd();
  exitWithParent();
  try {
    await work(folder);
    process.exit(0);
  } catch (error) {
    console.error(error);
    if (isSystemError(error, 'ENOSPC')) process.exit(EXIT_DISK_FULL);
    const problem = toDesignProblem(error);
    if (problem === undefined) process.exit(1);
    const refusal: WorkerRejection = {
      code: problem.code,
      detail: problem.message.slice(0, MAX_DETAIL_LENGTH),
    };
    await writeFile(join(folder, 'out/failure.json'), JSON.stringify(refusal));
    process.exit(EXIT_REJECTED);
  }
}
