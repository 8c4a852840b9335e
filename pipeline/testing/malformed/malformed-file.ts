import type { ProblemCode } from '@cloche/contract/problem';

/** A file that must be refused, with the expected problem. */
export type MalformedFile = { name: string; bytes: Buffer; code: ProblemCode; reason?: string };
