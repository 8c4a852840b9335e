import { Problem } from '@cloche/contract/problem';
import { MAX_USER_QUOTA } from '@cloche/contract/user';

/** The bytes of source files, and the designs, of a user. */
export type QuotaAmount = { bytes: number; designs: number };

/** The maximum of each. 0: no limit. */
export type QuotaLimits = QuotaAmount;

/** What an upload needs. While its length is not known, `minBytes` and `maxBytes` differ. */
export type QuotaRequest = { minBytes: number; maxBytes: number; designs: number };

export const NO_QUOTAS: QuotaLimits = { bytes: 0, designs: 0 };

/** The highest number of megabytes, and of designs, that an operator can set. */
export const MAX_QUOTA = MAX_USER_QUOTA;

const MIB = 1024 ** 2;

export function toBytes(megabytes: number): number {
  return megabytes * MIB;
}

export function addAmounts(a: QuotaAmount, b: QuotaAmount): QuotaAmount {
  return { bytes: a.bytes + b.bytes, designs: a.designs + b.designs };
}

export function hasLimits({ bytes, designs }: QuotaLimits): boolean {
  return bytes > 0 || designs > 0;
}

/**
 * Returns how many bytes the upload may have: `maxBytes`, or all that are left.
 *
 * @throws {Problem} upload.quota
 */
export function assertWithinQuota(
  used: QuotaAmount,
  { minBytes, maxBytes, designs }: QuotaRequest,
  limits: QuotaLimits,
): number {
  if (limits.designs > 0 && designs > 0 && used.designs + designs > limits.designs)
    throw createDesignQuotaError(used.designs, limits.designs);
  const free = limits.bytes > 0 ? limits.bytes - used.bytes : Number.POSITIVE_INFINITY;
  if (minBytes <= free) return Math.min(maxBytes, free);
  const needed = minBytes === maxBytes ? `${minBytes}` : `at least ${minBytes}`;
  throw createByteQuotaError(used.bytes, limits.bytes, needed);
}

/** @param needed the bytes that the upload needs, as text */
export function createByteQuotaError(used: number, limit: number, needed: string): Problem {
  return new Problem('upload.quota', {
    reason: 'bytes',
    detail: `Your files and uploads in progress use ${used} of ${limit} bytes, and this upload needs ${needed}. ${ADVICE}`,
  });
}

function createDesignQuotaError(used: number, limit: number): Problem {
  return new Problem('upload.quota', {
    reason: 'designs',
    detail: `You have ${used} of ${limit} designs, including uploads in progress, and this upload needs 1. Delete designs, replace the model of one, or ask the operator for a larger quota.`,
  });
}

const ADVICE = 'Delete designs or revisions, or ask the operator for a larger quota.';
