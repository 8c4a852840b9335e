import { Problem } from '@cloche/contract/problem';
import type { Database, Transaction, UserRow } from '../database/database.ts';
import { isUniqueViolation } from '../database/postgres-errors.ts';
import { runTransaction } from '../database/transaction.ts';
import { publishEvent } from '../events/publish-event.ts';
import { afterCursor, type Pagination } from '../http/pagination.ts';
import type { UserQuotas, UserRecord } from './user.ts';

/** A user with the number of its designs and of its tokens that are not revoked. */
export type UserSummary = UserRecord & { designCount: number; tokenCount: number };

/** Stores users. */
export class UserStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Says whether there is any user. */
  async hasAny(trx: Database | Transaction = this.#db): Promise<boolean> {
    return (await trx.selectFrom('user').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  /** Adds a user. @throws {Problem} request.invalid: the name is taken */
  async add(user: UserRecord, trx: Transaction): Promise<void> {
    const taken = await trx
      .selectFrom('user')
      .select('id')
      .where('name', '=', user.name)
      .executeTakeFirst();
    if (taken !== undefined) throw createNameTakenError(user);
    await trx
      .insertInto('user')
      .values(toUserRow(user))
      .execute()
      .catch((error) => {
        throw isUniqueViolation(error, 'user_by_name') ? createNameTakenError(user) : error;
      });
  }

  /** Finds a user by its id or its name. */
  async find(idOrName: string): Promise<UserRecord | undefined> {
    const row = await this.#db
      .selectFrom('user')
      .selectAll()
      .where(({ or, eb }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
      .executeTakeFirst();
    return row && toUserRecord(row);
  }

  /** Lists all users, oldest first. */
  async list(): Promise<UserSummary[]> {
    const rows = await this.#selectSummaries().orderBy('created_at').orderBy('id').execute();
    return rows.map(toUserSummary);
  }

  /** Lists a page of users, newest first. */
  async listPage(page: Pagination): Promise<UserSummary[]> {
    const rows = await this.#selectSummaries()
      .where(afterCursor(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .execute();
    return rows.map(toUserSummary);
  }

  /** Finds a user by its id. */
  async findSummary(id: string): Promise<UserSummary | undefined> {
    const row = await this.#selectSummaries().where('id', '=', id).executeTakeFirst();
    return row && toUserSummary(row);
  }

  #selectSummaries() {
    return this.#db
      .selectFrom('user')
      .selectAll()
      .select(({ selectFrom }) => [
        selectFrom('design')
          .select(({ fn }) => fn.countAll().as('count'))
          .whereRef('design.user_id', '=', 'user.id')
          .as('design_count'),
        selectFrom('token')
          .select(({ fn }) => fn.countAll().as('count'))
          .whereRef('token.user_id', '=', 'user.id')
          .where('token.revoked_at', 'is', null)
          .as('token_count'),
      ]);
  }

  /** Disables a user, or enables it again if `disabledAt` is undefined. */
  async setDisabled(id: string, disabledAt: Date | undefined): Promise<void> {
    await runTransaction(this.#db, async (trx) => {
      await trx
        .updateTable('user')
        .set({ disabled_at: disabledAt?.toISOString() ?? null })
        .where('id', '=', id)
        .execute();
      await publishEvent({ topic: 'user', id }, trx);
    });
  }

  /** Sets quotas of a user. Those that are not given do not change. */
  async setQuotas(id: string, quotas: Partial<UserQuotas>): Promise<void> {
    const columns = {
      ...('maxMegabytes' in quotas && { max_megabytes: quotas.maxMegabytes ?? null }),
      ...('maxDesigns' in quotas && { max_designs: quotas.maxDesigns ?? null }),
    };
    await this.#db.updateTable('user').set(columns).where('id', '=', id).execute();
  }
}

function createNameTakenError({ name }: UserRecord): Problem {
  return new Problem('request.invalid', {
    field: 'name',
    detail: `name: there is a user "${name}" already.`,
  });
}

type SummaryRow = UserRow & {
  design_count: number | string | bigint | null;
  token_count: number | string | bigint | null;
};

function toUserSummary(row: SummaryRow): UserSummary {
  return {
    ...toUserRecord(row),
    designCount: Number(row.design_count),
    tokenCount: Number(row.token_count),
  };
}

function toUserRecord(row: UserRow): UserRecord {
  return {
    id: row.id,
    name: row.name,
    operator: row.operator === 1,
    createdAt: new Date(row.created_at),
    disabledAt: row.disabled_at === null ? undefined : new Date(row.disabled_at),
    maxMegabytes: row.max_megabytes ?? undefined,
    maxDesigns: row.max_designs ?? undefined,
  };
}

function toUserRow(user: UserRecord): UserRow {
  const { id, name, operator, createdAt, disabledAt, maxMegabytes, maxDesigns } = user;
  return {
    id,
    name,
    operator: operator ? 1 : 0,
    created_at: createdAt.toISOString(),
    disabled_at: disabledAt?.toISOString() ?? null,
    max_megabytes: maxMegabytes ?? null,
    max_designs: maxDesigns ?? null,
  };
}
