import type { Database } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';
import { lockUntilCommit } from '../database/locks.ts';
import type { Migrations } from '../database/migrate.ts';
import { isLockTimeout } from '../database/postgres-errors.ts';
import { runTransaction } from '../database/transaction.ts';
import { ConfigError } from '../environment.ts';
import type { Logger } from '../http/logger.ts';
import { MAX_SILENCE_MS, NODES_LOCK, type NodeRecord } from '../nodes/node.ts';
import { NodeStore } from '../nodes/node-store.ts';
import { readSupportedSchema } from './postgres-schema.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type NewNode = Pick<NodeRecord, 'id' | 'role' | 'version' | 'files'>;

export type AddNodeOptions = {
  /** The URL of the database, for errors. */
  url: string;
  log: Pick<Logger, 'info' | 'warn'>;
  /** The migrations that this program knows. */
  migrations: Migrations;
};

/**
 * Adds a node if it knows the schema of the database, and stores files where the others do. Waits for a node that updates the
 * database, however long that takes. Returns when it has joined, by the clock of the database.
 *
 * @throws {ConfigError}
 */
export async function addNode(
  database: Database,
  node: NewNode,
  { url, log, migrations }: AddNodeOptions,
): Promise<Date> {
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      const joinedAt = await tryAddNode(database, node, { url, migrations });
      if (hasWaited) log.info('joining no longer waits for another session');
      return joinedAt;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (!hasWaited)
        log.warn('joining waits for another session, such as a node that updates the database');
    }
  }
}

/** @throws {ConfigError} */
function tryAddNode(
  database: Database,
  node: NewNode,
  { url, migrations }: Pick<AddNodeOptions, 'url' | 'migrations'>,
): Promise<Date> {
  return runTransaction(database, async (trx) => {
    // Otherwise two nodes that start at the same time would not see each other.
    await lockUntilCommit(trx, NODES_LOCK);
    // A newer node may have updated the database since this one opened it.
    await readSupportedSchema(url, trx, migrations);
    const nodes = new NodeStore(trx);
    const time = await readDatabaseTime(trx);
    const running = await nodes.list(new Date(time.getTime() - MAX_SILENCE_MS));
    assertSameFiles(
      node,
      running.filter(({ id }) => id !== node.id),
    );
    await nodes.removeOlderThan(new Date(time.getTime() - DAY_MS));
    await nodes.save({ ...node, startedAt: time, seenAt: time });
    return time;
  });
}

/** @throws {ConfigError} */
function assertSameFiles({ files }: Pick<NodeRecord, 'files'>, others: NodeRecord[]): void {
  const other = others.find((candidate) => candidate.files !== files);
  if (other === undefined) return;
  throw new ConfigError(
    `CLOCHE_DATABASE_URL is a database that another node uses (${other.id}), which stores the files of designs in another place. All nodes must have the same CLOCHE_S3_URL, or the same folder as CLOCHE_FILES.`,
  );
}
