import type { Problem } from '@cloche/contract/problem';

/**
 * Resolves or rejects as `promise` does, or rejects with a problem after `ms`. The operation itself is
 * not canceled.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  ms: number,
  createProblem: () => Problem,
): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(createProblem()), ms);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
