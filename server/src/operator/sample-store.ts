import type { Database } from '../database/database.ts';
import {
  createMinuteCacheCounts,
  type MinuteCacheCounts,
} from '../metrics/minute-cache-counters.ts';
import { createMinuteCounts, type MinuteCounts } from '../metrics/minute-counters.ts';
import type { RuntimeUse } from '../metrics/runtime-monitor.ts';

/** What one minute of one node was like. */
export type StoredSample = Omit<MinuteCounts, 's3'> &
  MinuteCacheCounts &
  Omit<RuntimeUse, 'eventLoop'> & {
    /** Null: a node of an older version. */
    eventLoop: RuntimeUse['eventLoop'] | null;
    /** Null: the files are not in a bucket. */
    s3: MinuteCounts['s3'] | null;
    waiting: number;
    running: number;
    oldestWaitingSeconds: number;
    cpuMs: number;
    memoryBytes: number;
    freeBytes: number;
    lagMs: number | null;
    /** Null: the database is not PostgreSQL. */
    connections: { used: number; idle: number; waiting: number } | null;
  };

/** Creates a sample of a minute in which nothing happened. */
export function createEmptySample(): StoredSample {
  return {
    ...createMinuteCounts(),
    ...createMinuteCacheCounts(),
    eventLoop: null,
    garbageCollectionMs: 0,
    openFiles: null,
    s3: null,
    waiting: 0,
    running: 0,
    oldestWaitingSeconds: 0,
    cpuMs: 0,
    memoryBytes: 0,
    freeBytes: 0,
    lagMs: null,
    connections: null,
  };
}

const LIFETIME_MS = 24 * 60 * 60 * 1000;
/** How often a node stores a sample. */
export const SAMPLE_INTERVAL_MS = 60_000;

/** Stores a sample of each node for each minute of the last day. */
export class SampleStore {
  readonly #db: Database;
  readonly #node: string;

  constructor(db: Database, node: string) {
    this.#db = db;
    this.#node = node;
  }

  /** Adds a sample of this node, and deletes those of all nodes that are older than a day. */
  async add(sample: StoredSample, now: Date): Promise<void> {
    const columns = { sample: JSON.stringify(sample) };
    const taken_at = toSampleTime(now);
    await this.#db
      .insertInto('metric_sample')
      .values({ taken_at, node: this.#node, ...columns })
      .onConflict((conflict) => conflict.columns(['taken_at', 'node']).doUpdateSet(columns))
      .execute();
    await this.#db.deleteFrom('metric_sample').where('taken_at', '<=', toOldest(now)).execute();
  }

  /** Lists the samples of the last day, oldest first. */
  async list(now: Date): Promise<{ at: string; node: string; sample: StoredSample }[]> {
    const rows = await this.#db
      .selectFrom('metric_sample')
      .selectAll()
      .where('taken_at', '>', toOldest(now))
      .orderBy('taken_at')
      .orderBy('node')
      .execute();
    return rows.map(({ taken_at: at, node, sample }) => ({
      at,
      node,
      sample: parseSample(sample),
    }));
  }
}

/** A node of an older version has not stored everything. */
function parseSample(json: string): StoredSample {
  const { s3, ...sample }: StoredSample = { ...createEmptySample(), ...JSON.parse(json) };
  return { ...sample, s3: s3 && { ...s3, operations: s3.operations ?? {} } };
}

function toSampleTime(time: Date): string {
  return new Date(
    Math.floor(time.getTime() / SAMPLE_INTERVAL_MS) * SAMPLE_INTERVAL_MS,
  ).toISOString();
}

function toOldest(now: Date): string {
  return toSampleTime(new Date(now.getTime() - LIFETIME_MS));
}
