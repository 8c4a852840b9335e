import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { migrate } from '../database/migrate.ts';
import { openSqlite } from '../database/sqlite.ts';
import { COPIED_TABLES, TABLES_LEFT_OUT } from './tables.ts';

/** The migrations write these. */
const MIGRATION_TABLES = ['kysely_migration', 'kysely_migration_lock', 'schema_version'];
/** The only reference that is not a foreign key of the database: a design and its revisions reference each other. */
const WITHOUT_FOREIGN_KEY = ['design.revision_id', 'design_tag.user_id'];

test('the list of tables has every table, with its columns, keys and references', async (t) => {
  const path = join(await openTemporaryDirectory(t), 'cloche.sqlite');
  const database = openSqlite(path);
  await migrate(database);
  await database.destroy();
  using raw = new DatabaseSync(path);
  const query = (sql: string) => raw.prepare(sql).all() as Record<string, string | number>[];
  const names = query("SELECT name FROM sqlite_master WHERE type = 'table'").map((row) => row.name);
  const listed = [...COPIED_TABLES.keys(), ...TABLES_LEFT_OUT.keys(), ...MIGRATION_TABLES];
  assert.deepEqual(listed.sort(), names.sort());
  for (const [name, table] of COPIED_TABLES) {
    const columns = query(`PRAGMA table_info("${name}")`);
    const types = columns.map(({ name: column, type, notnull, pk }) => {
      const sqlType = String(type).toLowerCase();
      return [column, `${sqlType}${notnull || pk ? '' : '?'}`];
    });
    const described = Object.entries(table.columns).map(([column, type]) => [
      column,
      type.replace(/^(json|sha256)/, 'text'),
    ]);
    assert.deepEqual(described.sort(), types.sort(), name);
    const key = columns.filter(({ pk }) => Number(pk) > 0);
    assert.deepEqual(
      table.key,
      key.sort((a, b) => Number(a.pk) - Number(b.pk)).map((column) => column.name),
      name,
    );
    const foreignKeys = query(`PRAGMA foreign_key_list("${name}")`);
    const references = Object.entries(table.references).filter(
      ([column]) => !WITHOUT_FOREIGN_KEY.includes(`${name}.${column}`),
    );
    assert.deepEqual(
      references.sort(),
      foreignKeys.map((foreignKey) => [foreignKey.from, foreignKey.table]).sort(),
      name,
    );
  }
});

test('a table is after those that its foreign keys name', () => {
  const names = [...COPIED_TABLES.keys()];
  for (const [name, { references }] of COPIED_TABLES) {
    for (const [column, target] of Object.entries(references)) {
      if (`${name}.${column}` === 'design.revision_id') continue;
      assert.ok(names.indexOf(target) <= names.indexOf(name), `${name}.${column}`);
    }
  }
});
