import { Problem } from '@cloche/contract/problem';
import type { Logger } from '../http/logger.ts';
import { assertActive } from './token.ts';
import type { TokenStore } from './token-store.ts';

type TokenMonitorDependencies = {
  tokens: Pick<TokenStore, 'findById'>;
  now: () => Date;
  log: Pick<Logger, 'error'>;
};

type Listener = (problem: Problem) => void;

/** A token that was revoked is noticed after this time. One timer checks all tokens. */
const CHECK_INTERVAL_MS = 500;

/** Reports long requests, such as uploads and event streams, whose token becomes invalid. */
export class TokenMonitor implements Disposable {
  readonly #dependencies: TokenMonitorDependencies;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #timer: NodeJS.Timeout;

  constructor(dependencies: TokenMonitorDependencies) {
    this.#dependencies = dependencies;
    this.#timer = setInterval(() => void this.#checkAll(), CHECK_INTERVAL_MS).unref();
  }

  /** Calls `onInvalid` when a token is revoked or expires, or its user is disabled, until disposed. */
  watch(tokenId: string, onInvalid: Listener): Disposable {
    const listeners = this.#listeners.get(tokenId) ?? new Set();
    this.#listeners.set(tokenId, listeners.add(onInvalid));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(onInvalid);
        if (listeners.size === 0) this.#listeners.delete(tokenId);
      },
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #checkAll(): Promise<void> {
    for (const [id, listeners] of [...this.#listeners]) {
      const problem = await this.#findProblem(id);
      if (problem !== undefined) for (const listener of [...listeners]) listener(problem);
    }
  }

  async #findProblem(id: string): Promise<Problem | undefined> {
    const { tokens, now, log } = this.#dependencies;
    try {
      const token = await tokens.findById(id);
      if (token === undefined) return new Problem('token.unknown');
      assertActive(token, now());
      return undefined;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error;
      // Such as a busy database: it says nothing about the token, and the next check follows soon.
      log.error({ err: error }, 'checking a token failed');
      return undefined;
    }
  }
}
