import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from './s3-errors.ts';

/** How long a request may wait for its response, or for the next bytes of one. The SDK would wait forever. */
export const S3_TIMEOUT_MS = 4000;
const MAX_ATTEMPTS = 3;
const FIRST_RETRY_DELAY_MS = 100;

export type SendToS3<T> = (options: { abortSignal: AbortSignal }) => Promise<T>;

/**
 * Sends a request, and again if the server asked for that or closed the connection. A timeout is not repeated.
 *
 * @param signal ends the request earlier
 */
export async function sendWithRetries<T>(
  send: SendToS3<T>,
  { timeoutMs = S3_TIMEOUT_MS, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const abortSignal = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send({ abortSignal });
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || abortSignal.aborted || !isTransient(error)) throw error;
        await delay(FIRST_RETRY_DELAY_MS * 2 ** attempt);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
