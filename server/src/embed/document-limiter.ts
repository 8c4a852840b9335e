import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientAddresses } from '../http/client-address.ts';
import type { RateLimiter } from '../http/rate-limiter.ts';

/** Limits the framed documents of each token, or shared design, to each client address. */
export class DocumentLimiter {
  readonly #limiter: RateLimiter;
  readonly #addresses: ClientAddresses;

  constructor(limiter: RateLimiter, addresses: ClientAddresses) {
    this.#limiter = limiter;
    this.#addresses = addresses;
  }

  /** @throws {Problem} request.rate-limited */
  limitDocument(tokenOrDesignId: string, request: FastifyRequest, reply: FastifyReply): void {
    if (!this.#limiter.isEnabled) return;
    this.#limiter.limitRequest(`${tokenOrDesignId} ${this.#addresses.find(request.raw)}`, reply);
  }
}
