/**
 * Returns the expiry of something that is signed now. It is rounded to half the maximum lifetime: what is signed for the same within that time is equal,
 * so that caches can be used. The minimum lifetime is half of the maximum.
 *
 * @param ttlMs maximum lifetime in milliseconds
 */
export function toRoundedExpiry(now: Date, ttlMs: number): Date {
  const halfTtlMs = ttlMs / 2;
  return new Date((Math.floor(now.getTime() / halfTtlMs) + 2) * halfTtlMs);
}
