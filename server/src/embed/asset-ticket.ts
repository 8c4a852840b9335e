import { Problem } from '@cloche/contract/problem';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Signer } from '../http/signer.ts';
import { toRoundedExpiry } from '../http/to-rounded-expiry.ts';

/** The purpose of the signer of tickets. */
export const ASSET_TICKET_PURPOSE = 'asset-ticket';

/**
 * Signs and verifies tickets: `<expiry>.<HMAC-SHA-256 of "<sha256>.<expiry>">`, with the expiry in seconds since 1970. A ticket is part
 * of a URL, and opens one artifact until it expires, for everyone who has it: a CDN cannot check more.
 */
export class AssetTickets {
  readonly #signer: Signer;
  readonly #ttlMs: number;

  /**
   * @param signer for ASSET_TICKET_PURPOSE
   * @param ttlMs maximum lifetime of a ticket. The minimum is half of it: see toExpiry.
   */
  constructor(signer: Signer, ttlMs: number) {
    this.#signer = signer;
    this.#ttlMs = ttlMs;
  }

  /** The shortest lifetime of a ticket. */
  get minTtlMs(): number {
    return this.#ttlMs / 2;
  }

  /**
   * Returns the expiry of a ticket that is signed now. It is rounded to half the lifetime: all visitors within that time get the same
   * URL, so that browsers find the artifact in their caches.
   */
  toExpiry(now: Date): Date {
    return toRoundedExpiry(now, this.#ttlMs);
  }

  /** Returns the expiries of all tickets that are valid now. */
  listExpiries(now: Date): Date[] {
    const last = this.toExpiry(now);
    const expiries = [last, new Date(last.getTime() - this.minTtlMs)];
    return expiries.filter((expiry) => expiry > now);
  }

  /** Returns a ticket for one artifact. */
  sign(blob: BlobRef, now: Date): string {
    const seconds = this.toExpiry(now).getTime() / 1000;
    return this.#signer.sign(`${blob}.${seconds}`).slice(blob.length + 1);
  }

  /** @throws {Problem} embed.ticket, with the reason forged or expired */
  verify(blob: BlobRef, ticket: string, now: Date): void {
    if (this.#signer.verify(`${blob}.${ticket}`) === undefined)
      throw createTicketError('forged', 'The ticket in the URL is invalid for this file.');
    const seconds = Number.parseInt(ticket, 10);
    if (seconds * 1000 <= now.getTime())
      throw createTicketError('expired', 'The ticket in the URL has expired.');
  }
}

function createTicketError(reason: string, explanation: string): Problem {
  return new Problem('embed.ticket', {
    reason,
    detail: `${explanation} Reload the page: the framed document then has new tickets.`,
  });
}
