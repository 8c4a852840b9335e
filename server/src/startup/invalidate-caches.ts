import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { readDataVersion } from '../database/sqlite.ts';
import type { Logger } from '../http/logger.ts';
import type { TokenStore } from '../tokens/token-store.ts';

type CacheDependencies = { database: Database; tokens: TokenStore; log: Logger };

/** A change is noticed after this time at the latest. */
const POLL_INTERVAL_MS = 500;

/**
 * Empties the cache of tokens when another process, such as `cloche-server users disable`, has changed the
 * database. SQLite reports that without reading any table.
 */
export function invalidateCachesOnChange(
  app: FastifyInstance,
  { database, tokens, log }: CacheDependencies,
): void {
  let lastVersion: number | undefined;
  let poll = Promise.resolve();
  const check = async () => {
    const version = await readDataVersion(database);
    if (version !== lastVersion) tokens.invalidateAll();
    lastVersion = version;
  };
  const logError = (error: unknown) => log.error({ err: error }, 'checking for changes failed');
  const timer = setInterval(() => {
    poll = check().catch(logError);
  }, POLL_INTERVAL_MS).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await poll;
  });
}
