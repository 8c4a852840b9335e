import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 25;

/**
 * Calls a function until it returns a value other than false or undefined, and returns that value.
 *
 * @param description the awaited state, for the error message; a function can describe the last state
 */
export async function waitUntil<Value>(
  description: string | (() => string),
  check: () => Value | Promise<Value>,
  { timeoutMs = 60_000 } = {},
): Promise<Exclude<Value, false | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value as Exclude<Value, false | undefined>;
    if (Date.now() > deadline) {
      const text = typeof description === 'string' ? description : description();
      throw new Error(`Timeout after ${timeoutMs / 1000} s: ${text}`);
    }
    await delay(INTERVAL_MS);
  }
}
