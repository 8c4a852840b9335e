import { setTimeout as delay } from 'node:timers/promises';

type WaitOptions = { timeoutMs?: number; intervalMs?: number };

/**
 * Calls a function until it returns something else than false or undefined, and returns that.
 *
 * @param description what is awaited, for the error message; a function can describe the last state
 */
export async function waitUntil<Value>(
  description: string | (() => string),
  check: () => Value | Promise<Value>,
  { timeoutMs = 60_000, intervalMs = 25 }: WaitOptions = {},
): Promise<Exclude<Value, false | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value as Exclude<Value, false | undefined>;
    if (Date.now() > deadline) {
      const text = typeof description === 'string' ? description : description();
      throw new Error(`Timeout after ${timeoutMs / 1000} s: ${text}`);
    }
    await delay(intervalMs);
  }
}
