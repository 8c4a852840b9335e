import { Problem } from '@cloche/contract/problem';

/** Throws design.unreadable. `complaint` completes the sentence "The 3MF cannot be read: …". */
export function throw3mfError(complaint: string): never {
  throw new Problem('design.unreadable', { detail: `The 3MF cannot be read: ${complaint}.` });
}
