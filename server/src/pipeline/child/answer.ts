import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refusal } from '../sandbox/report.ts';
import { NO_ROOM, REFUSED } from '../sandbox/task.ts';
import { asProblem, isSystemError } from './failure.ts';
import { followParent } from './line.ts';

const MAX_DETAIL = 2000;

/**
 * Does the work of a child, and ends the process: 0 when it is done, 2 when the design is refused
 * and `out/failure.json` says why, 3 when the disk is full, 1 for all else. Standard error has the stack.
 */
export async function answer(work: (folder: string) => Promise<void>): Promise<never> {
  const folder = process.cwd();
  followParent();
  try {
    await work(folder);
    process.exit(0);
  } catch (error) {
    console.error(error);
    if (isSystemError(error, 'ENOSPC')) process.exit(NO_ROOM);
    const problem = asProblem(error);
    if (problem === undefined) process.exit(1);
    const refusal: Refusal = { code: problem.code, detail: problem.message.slice(0, MAX_DETAIL) };
    await writeFile(join(folder, 'out/failure.json'), JSON.stringify(refusal));
    process.exit(REFUSED);
  }
}
