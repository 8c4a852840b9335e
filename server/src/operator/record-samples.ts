import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import type { PoolUse } from '../database/postgres-connections.ts';
import type { Reserve } from '../disk/disk-reserve.ts';
import type { EventSource } from '../events/event.ts';
import type { Logger } from '../http/logger.ts';
import type { MinuteCounters } from '../metrics/minute-counters.ts';
import { RuntimeMonitor } from '../metrics/runtime-monitor.ts';
import { readJobStatistics } from '../processing/job-statistics.ts';
import { SAMPLE_INTERVAL_MS, SampleStore, type StoredSample } from './sample-store.ts';

type SampleDependencies = {
  database: Database;
  nodeId: string;
  counters: MinuteCounters;
  reserve: Pick<Reserve, 'readSpace'>;
  events: Pick<EventSource, 'getLagMs'> | undefined;
  /** With PostgreSQL. */
  readPoolUse: (() => PoolUse) | undefined;
  /** Whether the files are in a bucket. */
  usesS3: boolean;
  log: Pick<Logger, 'warn'>;
  now: () => Date;
  /** The clock of leases. */
  leaseTime: () => Promise<Date>;
};

/** Stores once a minute what this node has done, while the app runs. */
export function recordSamples(app: FastifyInstance, dependencies: SampleDependencies): void {
  const { database, nodeId, log } = dependencies;
  const store = new SampleStore(database, nodeId);
  const runtime = new RuntimeMonitor();
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= addSample(store, runtime, dependencies)
      .catch((err) => log.warn({ err }, 'storing the metrics of a minute failed'))
      .finally(() => {
        running = undefined;
      });
  }, SAMPLE_INTERVAL_MS).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await running;
    runtime[Symbol.dispose]();
  });
}

async function addSample(
  store: SampleStore,
  runtime: RuntimeMonitor,
  { database, counters, reserve, events, now, leaseTime, ...dependencies }: SampleDependencies,
): Promise<void> {
  const counts = counters.take();
  const pool = dependencies.readPoolUse?.();
  const statistics = await readJobStatistics(database, await leaseTime());
  const { freeBytes } = await reserve.readSpace();
  const lagMs = events?.getLagMs() ?? Number.POSITIVE_INFINITY;
  await store.add(
    {
      ...counts,
      ...(await runtime.take()),
      s3: dependencies.usesS3 ? counts.s3 : null,
      waiting: statistics.queued,
      running: statistics.running,
      oldestWaitingSeconds: Math.round(statistics.oldestQueuedSeconds),
      memoryBytes: process.memoryUsage.rss(),
      freeBytes,
      lagMs: Number.isFinite(lagMs) ? Math.max(0, Math.round(lagMs)) : null,
      connections: pool === undefined ? null : toConnections(pool),
    },
    now(),
  );
}

function toConnections({ total, idle, waiting }: PoolUse): StoredSample['connections'] {
  return { used: total - idle, idle, waiting };
}
