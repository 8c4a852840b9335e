import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientAddresses } from '../http/client-address.ts';
import type { RateLimiter } from '../http/rate-limiter.ts';

type FailedTokenDependencies = { addresses: ClientAddresses; limiter: RateLimiter };

const DELAY_MS = 1000;
/** More responses are not delayed, so that they take no memory; their connections are closed instead. */
const MAX_DELAYED = 1000;

/**
 * Slows down addresses that send many tokens which do not exist. Only failed requests are delayed: a correct
 * token from the same address works at once.
 */
export class FailedTokens {
  readonly #dependencies: FailedTokenDependencies;
  #delayedCount = 0;

  constructor(dependencies: FailedTokenDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Throws the error of a request: at once, or, over the limit, request.rate-limited after a second. Errors other
   * than of a token that does not exist are not counted.
   */
  async fail(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const { addresses, limiter } = this.#dependencies;
    if (!limiter.isEnabled || !isWrongToken(error)) throw error;
    const { allowed, retryAfterSeconds } = limiter.take(addresses.find(request.raw));
    if (allowed) throw error;
    await this.#delay(reply);
    throw limiter.createProblem(retryAfterSeconds);
  }

  async #delay(reply: FastifyReply): Promise<void> {
    if (this.#delayedCount >= MAX_DELAYED) {
      reply.header('connection', 'close');
      return;
    }
    this.#delayedCount += 1;
    await sleep(DELAY_MS, undefined, { ref: false });
    this.#delayedCount -= 1;
  }
}

function isWrongToken(error: unknown): boolean {
  return (
    error instanceof Problem && (error.code === 'token.unknown' || error.code === 'token.malformed')
  );
}
