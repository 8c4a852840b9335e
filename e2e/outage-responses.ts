import assert from 'node:assert/strict';
import { waitUntil } from '../scripts/wait-until.ts';

/** A response while the database does not respond, or just after that. */
export type OutageResponse = { status: number; retryAfter: string | null | undefined };

/** Sends a request until its status is the expected one. Each response on the way must be 200, or 503 with Retry-After. */
export async function waitForOutageStatus(
  expected: 200 | 503,
  send: () => Promise<OutageResponse>,
): Promise<void> {
  await waitUntil(`the status ${expected}`, async () => {
    const { status, retryAfter } = await send();
    assert.ok(status === 200 || status === 503, `status ${status} because of an outage`);
    if (status === 503) assert.ok(Number(retryAfter) > 0, `Retry-After: ${retryAfter}`);
    return status === expected;
  });
}

/** Reads what is checked of a response. */
export function toOutageResponse({ status, headers }: Pick<Response, 'status' | 'headers'>) {
  return { status, retryAfter: headers.get('retry-after') };
}
