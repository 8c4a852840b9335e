import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { readDataVersion } from '../database/sqlite.ts';
import type { DesignStore } from '../designs/design-store.ts';
import type { Logger } from '../http/logger.ts';
import type { ProgressHub } from '../processing/progress.ts';
import type { SessionStore } from '../tokens/session-store.ts';
import type { TokenStore } from '../tokens/token-store.ts';

type CacheDependencies = {
  database: Database;
  tokens: Pick<TokenStore, 'invalidateAll'>;
  sessions: Pick<SessionStore, 'invalidateAll'>;
  designs: Pick<DesignStore, 'invalidateAll'>;
  progress: Pick<ProgressHub, 'forgetReceived'>;
  log: Pick<Logger, 'error'>;
};

/** A change is noticed after this time at the latest. */
const POLL_INTERVAL_MS = 500;

/**
 * Empties the caches when another process, such as `cloche-server users disable`, has changed the SQLite database,
 * which reports that without reading any table. With PostgreSQL, processes send events.
 */
export function invalidateCachesOnChange(
  app: FastifyInstance,
  { database, tokens, sessions, designs, progress, log }: CacheDependencies,
): void {
  let lastVersion: number | undefined;
  let poll: Promise<void> | undefined;
  const check = async () => {
    try {
      const version = await readDataVersion(database);
      if (version !== lastVersion) {
        tokens.invalidateAll();
        sessions.invalidateAll();
        designs.invalidateAll();
        progress.forgetReceived();
      }
      lastVersion = version;
    } catch (error) {
      log.error({ err: error }, 'checking for changes failed');
    } finally {
      poll = undefined;
    }
  };
  const checkOnce = () => {
    // While the database is busy, checks do not pile up.
    poll ??= check();
    return poll;
  };
  const timer = setInterval(checkOnce, POLL_INTERVAL_MS).unref();
  // Otherwise the first check would empty caches that requests have just filled.
  app.addHook('onReady', checkOnce);
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await poll;
  });
}
