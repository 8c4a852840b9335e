import { Problem, type ProblemDetails } from '@cloche/contract/problem';
import type { TokenRecord } from '../tokens/token.ts';

/** What is to become of a file when all of it is here. */
export type UploadMetadata = {
  name: string;
  /** What its SHA-256 must be, hex. */
  sha256?: string | undefined;
  /** The design whose next revision it is; undefined: a new design. */
  designId?: string | undefined;
};

/** What became of it: the design it is in, or why it was refused. */
export type UploadResult = { design: string } | { problem: ProblemDetails };

/** A file that comes in pieces. */
export type TusUpload = {
  /** 128 random bits, hex. */
  id: string;
  user: string;
  parsedMetadata: UploadMetadata;
  /** Undefined until the client says it. */
  sizeBytes: number | undefined;
  /** As the client sent it: it is told again when asked. */
  metadata: Record<string, string | null> | undefined;
  createdAt: Date;
  result: UploadResult | undefined;
};

/** Then it is forgotten, finished or not. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1000;

export function isExpired({ createdAt }: TusUpload, now: Date): boolean {
  return now.getTime() >= createdAt.getTime() + UPLOAD_LIFETIME_MS;
}

/** Is it the caller's? A token that reaches some designs only has no part in uploads for others. */
export function isAccessible({ user, parsedMetadata }: TusUpload, caller: TokenRecord): boolean {
  if (user !== caller.user) return false;
  if (caller.designs === undefined) return true;
  return parsedMetadata.designId !== undefined && caller.designs.includes(parsedMetadata.designId);
}

/** The design a file became; throws why it did not. @throws {Problem} as when it was refused */
export function getDesignId(outcome: UploadResult): string {
  if ('design' in outcome) return outcome.design;
  const { code, detail, field, reason } = outcome.problem;
  throw new Problem(code, {
    detail,
    ...(field !== undefined && { field }),
    ...(reason !== undefined && { reason }),
  });
}
