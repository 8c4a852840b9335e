import { parentPort } from 'node:worker_threads';
import { Problem } from '@cloche/contract/problem';
import { type Examination, examine } from './examine.ts';
import { openSource } from './source.ts';

/** What the thread answers: problems as data, for errors lose their kind on the way. */
export type Answer =
  | { examination: Examination }
  | { problem: Pick<Problem, 'code' | 'message' | 'reason' | 'field'>; cause: string }
  | { failure: string };

// One file at a time: whoever asks waits for the answer.
parentPort?.on('message', async (path: string) => parentPort?.postMessage(await answer(path)));

async function answer(path: string): Promise<Answer> {
  try {
    await using file = await openSource(path);
    return { examination: await examine(file) };
  } catch (error) {
    if (!(error instanceof Problem)) return { failure: String((error as Error)?.stack ?? error) };
    const { code, message, reason, field, cause } = error;
    return { problem: { code, message, reason, field }, cause: String(cause ?? '') };
  }
}
