import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import type { Quotas, Reservation } from '../quotas/quotas.ts';
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
 * @throws {Problem} upload.quota, design.too-large
 */
export async function reserveQuota(
  request: FastifyRequest,
  { quotas, maxUploadBytes }: QuotaDependencies,
  designs: 0 | 1,
): Promise<FileQuota> {
  const range = getSizeRange(request, maxUploadBytes);
  if (await request.idempotency.hasResponse()) return createReplayQuota(range.maxBytes);
  const { user } = request.token;
  const reservation = await quotas.reserve(user, { ...range, designs });
  const { maxBytes } = reservation;
  const toProblem = async (error: unknown) => {
    const isExceeded = error instanceof Problem && error.code === 'design.too-large';
    return isExceeded && maxBytes < range.maxBytes
      ? quotas.createExceededError(user, reservation)
      : error;
  };
  return { ...reservation, toProblem };
}

/** A retry stores nothing and gets the first response, also if no quota is left. */
function createReplayQuota(maxBytes: number): FileQuota {
  const toProblem = async (error: unknown) => error;
  return { maxBytes, resize: () => {}, toProblem, [Symbol.dispose]: () => {} };
}
