import { Gauge, type Registry } from 'prom-client';
import type { PoolUse } from '../database/postgres-connections.ts';
import { readFreeBytes } from '../disk/free-space.ts';

/** The numbers that are read when a client asks for them. */
export type MetricsSources = {
  version: string;
  sandboxLevel: string;
  dataDirectory: string;
  readJobStatistics(): Promise<JobStatistics>;
  /** With several nodes: see `EventSource`. */
  events?: { getLagMs(): number } | undefined;
  /** With PostgreSQL. */
  readPoolUse?: (() => PoolUse) | undefined;
};

/** The jobs that are not finished. */
export type JobStatistics = {
  queued: number;
  running: number;
  /** How long the oldest queued job has waited. 0: no job is queued. */
  oldestQueuedSeconds: number;
};

/** Adds the metrics that are read when a client asks for them. */
export function addSourceMetrics(registry: Registry, sources: MetricsSources): void {
  addInfo(registry, sources);
  addJobs(registry, sources);
  addFreeSpace(registry, sources);
  addEventLag(registry, sources);
  addPool(registry, sources);
}

function addInfo(registry: Registry, { version, sandboxLevel }: MetricsSources): void {
  new Gauge({
    name: 'cloche_info',
    help: 'Always 1. The labels are the version of the service and the isolation of its workers.',
    labelNames: ['version', 'sandbox'],
    registers: [registry],
  }).set({ version, sandbox: sandboxLevel }, 1);
}

function addJobs(registry: Registry, { readJobStatistics }: MetricsSources): void {
  const registers = [registry];
  // Not an error of the whole response: while the database is down, the other metrics are needed most.
  const read = () => readJobStatistics().catch(() => undefined);
  new Gauge({
    name: 'cloche_jobs',
    help: 'Files that are queued for processing, and that are being processed.',
    labelNames: ['state'],
    registers,
    async collect() {
      const jobs = await read();
      if (jobs === undefined) return this.reset();
      this.set({ state: 'queued' }, jobs.queued);
      this.set({ state: 'running' }, jobs.running);
    },
  });
  new Gauge({
    name: 'cloche_job_oldest_queued_seconds',
    help: 'How long the oldest queued job has waited.',
    registers,
    async collect() {
      const jobs = await read();
      // `reset` would set it to 0, which means that no job is queued.
      if (jobs === undefined) return this.remove();
      this.set(jobs.oldestQueuedSeconds);
    },
  });
}

function addEventLag(registry: Registry, { events }: MetricsSources): void {
  if (events === undefined) return;
  new Gauge({
    name: 'cloche_event_lag_seconds',
    help: 'The age of the newest state of which this node knows all changes of other nodes. From 2 on, nothing is cached.',
    registers: [registry],
    collect() {
      this.set(events.getLagMs() / 1000);
    },
  });
}

function addPool(registry: Registry, { readPoolUse }: MetricsSources): void {
  if (readPoolUse === undefined) return;
  new Gauge({
    name: 'cloche_database_connections',
    help: 'Connections of the pool to PostgreSQL, by state; waiting: queries that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = readPoolUse();
      this.set({ state: 'used' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

function addFreeSpace(registry: Registry, { dataDirectory }: MetricsSources): void {
  new Gauge({
    name: 'cloche_data_directory_free_bytes',
    help: 'Free space of the disk with the data directory.',
    registers: [registry],
    async collect() {
      this.set(await readFreeBytes(dataDirectory));
    },
  });
}
