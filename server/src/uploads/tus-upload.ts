import { Problem, type ProblemDetails } from '@cloche/contract/problem';
import type { DesignFields } from '../designs/design.ts';

/** The header Upload-Metadata, parsed. */
export type UploadMetadata = {
  /** The fields of the new design. */
  fields: DesignFields;
  /** The name of the file, as its client sent it. */
  fileName?: string | undefined;
  /** Expected SHA-256 of the file, hex. */
  sha256?: string | undefined;
  /** The design that gets the file as its next revision. Undefined: create a design. */
  designId?: string | undefined;
};

/** The design that a complete upload became part of, or why the file was rejected. */
export type UploadResult = { designId: string } | { problem: ProblemDetails };

/** The first bytes of an upload that were in the request that created it. */
export type InitialBytes = { sizeBytes: number; sha256: string };

/** The Idempotency-Key of the request that created an upload, and what the request contained. */
export type CreationKey = {
  keyHash: string;
  requestHash: string;
  initialBytes?: InitialBytes | undefined;
};

/** A resumable upload. */
export type TusUpload = {
  /** 128 random bits, hex. */
  id: string;
  user: string;
  parsedMetadata: UploadMetadata;
  /** The Upload-Length. Undefined while it is deferred. */
  sizeBytes: number | undefined;
  /** The number of bytes received so far. */
  offset: number;
  /** The header Upload-Metadata as received. HEAD returns it. */
  metadata: Record<string, string | null> | undefined;
  createdAt: Date;
  /** Undefined if the request that created the upload had no Idempotency-Key. */
  creationKey?: CreationKey | undefined;
  /** Undefined until the upload is complete. */
  result: UploadResult | undefined;
};

/** The fields of a new upload that its creator chooses. */
export type NewTusUpload = Pick<
  TusUpload,
  'user' | 'parsedMetadata' | 'sizeBytes' | 'metadata' | 'creationKey'
>;

/** An upload expires this long after its creation, complete or not. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1000;

export function isExpired({ createdAt }: Pick<TusUpload, 'createdAt'>, now: Date): boolean {
  return now >= toExpiry(createdAt);
}

/** Returns when an upload expires. */
export function toExpiry(createdAt: Date): Date {
  return new Date(createdAt.getTime() + UPLOAD_LIFETIME_MS);
}

/** Returns the id of the design of a complete upload. @throws {Problem} why the file was rejected */
export function getDesignId(result: UploadResult): string {
  if ('designId' in result) return result.designId;
  const { code, detail, field, reason } = result.problem;
  throw new Problem(code, {
    detail,
    ...(field !== undefined && { field }),
    ...(reason !== undefined && { reason }),
  });
}
