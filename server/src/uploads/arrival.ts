import { Problem, type ProblemView } from '@cloche/contract/problem';
import type { Token } from '../tokens/token.ts';

/** What is to become of a file when all of it is here. */
export type Wish = {
  name: string;
  /** What its SHA-256 must be, hex. */
  sha256?: string | undefined;
  /** The design whose next revision it is; undefined: a new design. */
  design?: string | undefined;
};

/** What became of it: the design it is in, or why it was refused. */
export type Outcome = { design: string } | { problem: ProblemView };

/** A file that comes in pieces. */
export type Arrival = {
  /** 128 random bits, hex. */
  id: string;
  user: string;
  wish: Wish;
  /** Undefined until the client says it. */
  sizeBytes: number | undefined;
  /** As the client sent it: it is told again when asked. */
  metadata: Record<string, string | null> | undefined;
  createdAt: Date;
  outcome: Outcome | undefined;
};

/** Then it is forgotten, finished or not. */
export const LIFETIME_MS = 24 * 60 * 60 * 1000;

export function isOver({ createdAt }: Arrival, now: Date): boolean {
  return now.getTime() >= createdAt.getTime() + LIFETIME_MS;
}

/** Is it the caller's? A token that reaches some designs only has no part in uploads for others. */
export function mayReach({ user, wish }: Arrival, caller: Token): boolean {
  if (user !== caller.user) return false;
  if (caller.designs === undefined) return true;
  return wish.design !== undefined && caller.designs.includes(wish.design);
}

/** The design a file became; throws why it did not. @throws {Problem} as when it was refused */
export function designOf(outcome: Outcome): string {
  if ('design' in outcome) return outcome.design;
  const { code, detail, field, reason } = outcome.problem;
  throw new Problem(code, {
    detail,
    ...(field !== undefined && { field }),
    ...(reason !== undefined && { reason }),
  });
}
