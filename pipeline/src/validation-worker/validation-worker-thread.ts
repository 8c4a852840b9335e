import { parentPort } from 'node:worker_threads';
import { Problem } from '@cloche/contract/problem';
import { type ValidationResult, validateModel } from '../formats/validate-model.ts';
import { refuseFileWrites, restrictBuiltins } from '../sandbox/restrict-builtins.ts';
import { openFileReader } from '../validation/byte-reader.ts';

/** The reply of the thread. Problems are sent as data, because postMessage drops their class. */
export type ValidationReply =
  | { result: ValidationResult }
  | { problem: Pick<Problem, 'code' | 'message' | 'reason' | 'field'>; cause: string }
  | { internalError: string };

// The thread belongs to the service's process. Before it reads an untrusted file, it gives up what a
// validation does not need. `parentPort` must have been imported before.
restrictBuiltins();
refuseFileWrites();

// One file at a time: the caller waits for the reply.
parentPort?.on('message', async (path: string) => parentPort?.postMessage(await replyTo(path)));

async function replyTo(path: string): Promise<ValidationReply> {
  try {
    await using file = await openFileReader(path);
    return { result: await validateModel(file) };
  } catch (error) {
    if (!(error instanceof Problem))
      return { internalError: String((error as Error)?.stack ?? error) };
    const { code, message, reason, field, cause } = error;
    return { problem: { code, message, reason, field }, cause: String(cause ?? '') };
  }
}
