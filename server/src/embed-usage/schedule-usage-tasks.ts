import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { runExclusively } from '../database/run-exclusively.ts';
import type { Logger } from '../http/logger.ts';
import { toDay } from './embed-usage.ts';
import type { EmbedUsageStore } from './embed-usage-store.ts';

type UsageTaskDependencies = {
  embedUsage: EmbedUsageStore;
  database: Database;
  log: Logger;
  now: () => Date;
};

/**
 * What is counted after the last flush is lost if the process is killed: at most one second, which includes the time of a
 * transaction. A flush without counts does nothing.
 */
const FLUSH_INTERVAL_MS = 500;

/**
 * Writes the usage twice a second, and once more after the last response when the app closes. Deletes old days at the start
 * and whenever a day begins.
 */
export function scheduleUsageTasks(
  app: FastifyInstance,
  { embedUsage, database, log, now }: UsageTaskDependencies,
): void {
  let today = '';
  const deleteOld = async () => {
    const time = now();
    if (toDay(time) === today) return;
    const task = () => embedUsage.deleteOld(time);
    // Tried again after the next flush if it fails, or if another node is deleting them.
    if (await runExclusively(database, 'old embed usage', task)) today = toDay(time);
  };
  const logError = (err: unknown) => log.warn({ err }, 'storing the usage of embeds failed');
  let running = Promise.resolve<void>(undefined);
  const run = () => {
    const flushing = embedUsage.flush().then(deleteOld).catch(logError);
    // Without a result: each would contain the one before.
    running = Promise.all([running, flushing]).then(() => undefined);
  };
  const timer = setInterval(run, FLUSH_INTERVAL_MS).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await running;
    await embedUsage.flush().catch(logError);
  });
}
