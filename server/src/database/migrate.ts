import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import * as start from './migrations/0001-initial.ts';
import * as pipeline from './migrations/0002-processing.ts';

const migrations: Record<string, Migration> = {
  '0001-start': start,
  '0002-pipeline': pipeline,
};

/** Brings the tables to what this version expects. Safe to call at every start. */
export async function migrate(database: Database): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
