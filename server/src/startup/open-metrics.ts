import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import type { PoolUse } from '../database/postgres-connections.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import { ConfigError } from '../environment.ts';
import type { Logger } from '../http/logger.ts';
import type { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { readJobStatistics } from '../processing/job-statistics.ts';

type MetricsDependencies = {
  database: Database;
  sandboxLevel: string;
  events: { getLagMs(): number } | undefined;
  readPoolUse: (() => PoolUse) | undefined;
  /** The clock of leases. */
  leaseTime: () => Promise<Date>;
  log: Logger;
};

/**
 * Serves the metrics, if a port is set for them. The library is loaded only then.
 *
 * @throws {ConfigError}
 */
export async function openMetrics(
  { metrics: address, dataDirectory }: Config,
  { database, sandboxLevel, events, readPoolUse, leaseTime, log }: MetricsDependencies,
): Promise<(AsyncDisposable & { metrics: PrometheusMetrics }) | undefined> {
  if (address === undefined) return undefined;
  const { PrometheusMetrics } = await import('../metrics/prometheus-metrics.ts');
  const { openMetricsServer } = await import('../metrics/metrics-server.ts');
  const metrics = new PrometheusMetrics({
    version: PROGRAM_VERSION,
    sandboxLevel,
    dataDirectory,
    events,
    readPoolUse,
    readJobStatistics: async () => readJobStatistics(database, await leaseTime()),
  });
  try {
    const server = await openMetricsServer(metrics, { ...address, log });
    return { metrics, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `CLOCHE_METRICS_PORT is ${address.port}, and the service cannot listen on it (on ${address.host}: ${code}). Set another port, or correct CLOCHE_METRICS_HOST.`,
    );
  }
}
