import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import { createInProgressError } from '../http/idempotency-store.ts';
import { FirstRequestRunningError, type Quotas, type Reservation } from '../quotas/quotas.ts';
import { getSizeRange } from './receive-file.ts';

type QuotaDependencies = { quotas: Quotas; maxUploadBytes: number };

/** Quota of a file that is being received. */
export type FileQuota = Reservation & {
  /** Returns the problem to report for an error of receiving the file. */
  toProblem(error: unknown): Promise<unknown>;
};

/**
 * Reserves quota for the file of a request, before its body is read. If its size is not known, as much is
 * reserved as it can have, or all that is left.
 *
 * @param designs 1 if the request creates a design, else 0
 * @throws {Problem} upload.quota, design.too-large; idempotency.in-progress, if the quota may be enough when the first
 *   request with the same key has ended
 */
export async function reserveQuota(
  request: FastifyRequest,
  { quotas, maxUploadBytes }: QuotaDependencies,
  designs: 0 | 1,
): Promise<FileQuota> {
  const range = getSizeRange(request, maxUploadBytes);
  const { idempotency, token } = request;
  if (await idempotency.hasResponse()) return createReplayQuota(range.maxBytes);
  const { keyHash } = idempotency;
  const reservation = await quotas
    .reserve(token.user, { ...range, designs, keyHash })
    .catch(async (error: unknown) => {
      if (error instanceof FirstRequestRunningError) throw createInProgressError();
      // Another request may have just used up the quota with the same key.
      if (await idempotency.hasResponse()) return undefined;
      throw error;
    });
  if (reservation === undefined) return createReplayQuota(range.maxBytes);
  const toProblem = async (error: unknown) => {
    const isExceeded = error instanceof Problem && error.code === 'design.too-large';
    if (!isExceeded || reservation.maxBytes === range.maxBytes) return error;
    if (reservation.isRetry || (await idempotency.hasResponse())) return createInProgressError();
    return quotas.createExceededError(token.user, reservation);
  };
  return { ...reservation, toProblem };
}

/** A retry stores nothing and gets the first response, also if no quota is left. */
function createReplayQuota(maxBytes: number): FileQuota {
  const toProblem = async (error: unknown) => error;
  const doNothing = async () => {};
  return {
    maxBytes,
    isRetry: true,
    resize: doNothing,
    release: doNothing,
    toProblem,
    [Symbol.asyncDispose]: doNothing,
  };
}
