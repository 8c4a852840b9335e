import type { NodeRole } from '@cloche/contract/node';
import type { Database, NodeRow, Transaction } from '../database/database.ts';
import type { NodeRecord } from './node.ts';

/** Stores the nodes that use the database. Times are those of the database. */
export class NodeStore {
  readonly #db: Database | Transaction;

  constructor(db: Database | Transaction) {
    this.#db = db;
  }

  /** Adds a node, or reports that it runs. */
  async save(node: NodeRecord): Promise<void> {
    const { id, ...columns } = toRow(node);
    await this.#db
      .insertInto('node')
      .values({ id, ...columns })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
      .execute();
  }

  /** Reports that a node runs. Returns false if another process has its id. */
  async renew(node: NodeRecord): Promise<boolean> {
    const { id, ...columns } = toRow(node);
    const { numInsertedOrUpdatedRows = 0n } = await this.#db
      .insertInto('node')
      .values({ id, ...columns })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(columns)
          .where('node.started_at', '=', columns.started_at),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows > 0n;
  }

  /** Returns when a node has reported that it runs. */
  async findSeenAt(id: string): Promise<Date | undefined> {
    const row = await this.#db
      .selectFrom('node')
      .select('seen_at')
      .where('id', '=', id)
      .executeTakeFirst();
    return row && new Date(row.seen_at);
  }

  /** Removes a node, unless another process has its id. */
  async remove(id: string, startedAt: Date): Promise<void> {
    await this.#db
      .deleteFrom('node')
      .where('id', '=', id)
      .where('started_at', '=', startedAt.toISOString())
      .execute();
  }

  /** Lists the nodes that have reported since, the first that was started first. */
  async list(since: Date): Promise<NodeRecord[]> {
    const rows = await this.#db
      .selectFrom('node')
      .selectAll()
      .where('seen_at', '>=', since.toISOString())
      .orderBy('started_at')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  async removeOlderThan(time: Date): Promise<void> {
    await this.#db.deleteFrom('node').where('seen_at', '<', time.toISOString()).execute();
  }
}

function toRow({ id, role, version, files, startedAt, seenAt }: NodeRecord): NodeRow {
  const times = { started_at: startedAt.toISOString(), seen_at: seenAt.toISOString() };
  return { id, role, version, files, ...times };
}

function toRecord({ id, role, version, files, started_at, seen_at }: NodeRow): NodeRecord {
  const times = { startedAt: new Date(started_at), seenAt: new Date(seen_at) };
  return { id, role: role as NodeRole, version, files, ...times };
}
