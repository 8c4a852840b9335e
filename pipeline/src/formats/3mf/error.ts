import { Problem } from '@cloche/contract/problem';

/** Throws design.unreadable. `message` completes the sentence "The 3MF cannot be read: …". */
export function throw3mfError(message: string): never {
  throw new Problem('design.unreadable', { detail: `The 3MF cannot be read: ${message}.` });
}
