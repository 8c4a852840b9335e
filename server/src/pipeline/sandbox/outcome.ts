import type { ProblemCode } from '@cloche/contract/problem';
import type { Bounds } from './bounds.ts';
import type { End } from './launch.ts';
import type { ChildReport } from './report.ts';
import { BadResult, readRefusal, readReport } from './results.ts';
import { NO_ROOM, REFUSED } from './task.ts';

/** What became of a job. `retry`: another try may end otherwise. */
export type Outcome =
  | { ok: true; report: ChildReport }
  | { ok: false; code: ProblemCode; detail: string; retry: boolean };

// What engines, libraries and the C++ runtime print when they are given no more memory.
const OUT_OF_MEMORY = /out of memory|heap limit|allocation failed|bad_alloc|cannot allocate/i;
const DIED_OF_MEMORY: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/** Says what an end means, and believes nothing in the folder that it has not checked. */
export async function judge(end: End, folder: string, bounds: Bounds): Promise<Outcome> {
  if (end.cut === 'aborted') {
    return { ok: false, code: 'server.unavailable', detail: 'The job was stopped.', retry: true };
  }
  if (end.cut === 'timeout') {
    const seconds = Math.ceil(bounds.timeoutMs / 1000);
    return tooComplex(`The file needs more than ${seconds} s to be made fit for the web.`);
  }
  if (DIED_OF_MEMORY.includes(end.signal) && OUT_OF_MEMORY.test(end.printed)) {
    return tooComplex(needsMore(bounds));
  }
  if (end.exitCode === NO_ROOM) {
    const detail = 'The service had no room left to work on the file.';
    return { ok: false, code: 'server.storage-full', detail, retry: true };
  }
  try {
    if (end.exitCode === REFUSED)
      return { ok: false, retry: false, ...(await readRefusal(folder)) };
    if (end.exitCode === 0) {
      return { ok: true, report: await readReport(folder, bounds.fileBytes) };
    }
  } catch (error) {
    if (!(error instanceof BadResult)) throw error;
    return failed(`it left no valid result: ${error.message}`);
  }
  return failed(end.signal ? `ended by ${end.signal}` : `exit code ${end.exitCode}`);
}

function needsMore({ memoryBytes }: Bounds): string {
  const gigabytes = (memoryBytes / 1024 ** 3).toFixed(1).replace(/\.0$/, '');
  return `The file needs more memory than the ${gigabytes} GiB that one design may take.`;
}

function tooComplex(detail: string): Outcome {
  return { ok: false, code: 'design.too-complex', detail, retry: false };
}

/** Not known to be the file's fault. */
function failed(why: string): Outcome {
  const detail = `The process that reads the file failed (${why}).`;
  return { ok: false, code: 'server.failed', detail, retry: true };
}
