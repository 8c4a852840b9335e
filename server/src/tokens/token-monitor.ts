import { Problem } from '@cloche/contract/problem';
import type { Logger } from '../http/logger.ts';
import { assertSessionActive, type SessionRecord } from './session.ts';
import type { SessionStore } from './session-store.ts';
import { assertActive, type TokenRecord } from './token.ts';
import type { TokenStore } from './token-store.ts';

type TokenMonitorDependencies = {
  tokens: Pick<TokenStore, 'findById'>;
  sessions: Pick<SessionStore, 'findByHash'>;
  now: () => Date;
  log: Pick<Logger, 'error'>;
};

/** A request that is being handled. */
type WatchedRequest = {
  token: Pick<TokenRecord, 'id'>;
  session?: Pick<SessionRecord, 'id' | 'hash'> | undefined;
};
type Listener = (problem: Problem) => void;
type Watched = WatchedRequest & { listeners: Set<Listener> };

/** A token that was revoked is noticed after this time. One timer checks all tokens. */
const CHECK_INTERVAL_MS = 500;

/** Reports long requests, such as uploads and event streams, whose token or session becomes invalid. */
export class TokenMonitor implements Disposable {
  readonly #dependencies: TokenMonitorDependencies;
  readonly #watched = new Map<string, Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(dependencies: TokenMonitorDependencies) {
    this.#dependencies = dependencies;
    this.#timer = setInterval(() => void this.#checkAll(), CHECK_INTERVAL_MS).unref();
  }

  /** Calls `onInvalid` when the token is revoked or expires, its user is disabled or the session ends, until disposed. */
  watch({ token, session }: WatchedRequest, onInvalid: Listener): Disposable {
    const key = session?.id ?? token.id;
    const watched = this.#watched.get(key) ?? { token, session, listeners: new Set() };
    const { listeners } = watched;
    listeners.add(onInvalid);
    this.#watched.set(key, watched);
    return {
      [Symbol.dispose]: () => {
        listeners.delete(onInvalid);
        if (listeners.size === 0) this.#watched.delete(key);
      },
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #checkAll(): Promise<void> {
    for (const watched of [...this.#watched.values()]) {
      const problem = await this.#findProblem(watched);
      if (problem === undefined) continue;
      for (const listener of [...watched.listeners]) listener(problem);
    }
  }

  async #findProblem({ token: { id }, session }: WatchedRequest): Promise<Problem | undefined> {
    const { tokens, sessions, now, log } = this.#dependencies;
    try {
      const token = await tokens.findById(id);
      if (token === undefined) return new Problem('token.unknown');
      assertActive(token, now());
      if (session !== undefined) {
        const time = now();
        assertSessionActive(await sessions.findByHash(session.hash, time), token, time);
      }
      return undefined;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error;
      // Such as a busy database: it says nothing about the token, and the next check follows soon.
      log.error({ err: error }, 'checking a token failed');
      return undefined;
    }
  }
}
