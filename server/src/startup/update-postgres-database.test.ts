import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.ts';
import { runSql } from '../../testing/run-sql.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import { MIGRATIONS, migrate } from '../database/migrate.ts';
import { openPostgres } from '../database/postgres.ts';
import { openPostgresDatabase } from './open-postgres-database.ts';

/** The first version of the database that ran on PostgreSQL. */
const FIRST_VERSION = '0011-job-node';
const TIME = '2026-01-01T00:00:00.000Z';
/** Rows of the tables that the first version had, and of a later one, in an order that foreign keys allow. */
const ROWS: Readonly<Record<string, string>> = {
  user: `(id, name, operator, max_megabytes, max_designs, created_at)
    VALUES ('u', 'anna', 1, 7, 8, '${TIME}')`,
  token: `(id, user_id, name, hash, capabilities, origins, designs, scope_version, created_at, revoked_at)
    VALUES ('t', 'u', 'Shop ☂', 'h', '["embed"]', '["https://shop.example"]', '["d"]', 3, '${TIME}', '${TIME}')`,
  token_origin: `(token_id, origin, last_used_at) VALUES ('t', 'https://shop.example', '${TIME}')`,
  design: `(id, user_id, name, description, status, revision_id, external_id, tags, metadata, last_revision,
      sort_name, search_text, max_triangles, viewer, shared, created_at, updated_at)
    VALUES ('d', 'u', 'Grüner Stuhl', '"\\u0000"', 'ready', 'r1', 'e', '["oak"]', '{"a":"b"}', 2,
      'grüner stuhl', 'grüner stuhl', 9, '{"lang":"de"}', 1, '${TIME}', '${TIME}')`,
  design_tag: `(user_id, tag, design_id) VALUES ('u', 'oak', 'd')`,
  revision: `(id, design_id, number, status, source_blob, source_size_bytes, detected_format, stats, created_at)
    VALUES ('r1', 'd', 1, 'ready', 'b', 3000000000, '{}', '{}', '${TIME}'),
      ('r2', 'd', 2, 'queued', 'b', 1, '{}', NULL, '${TIME}')`,
  artifact: `(revision_id, kind, level, blob, size_bytes, width, height)
    VALUES ('r1', 'textures', 512, 'b', 3000000000, 4, 3)`,
  job: `(id, revision_id, attempts, due_at, node, created_at)
    VALUES ('j', 'r2', 1, '${TIME}', 'n', '${TIME}')`,
  idempotency_key: `(key_hash, request_hash, status, body, created_at)
    VALUES ('k', 'q', 201, '{}', '${TIME}')`,
  upload_reservation: `(id, user_id, size_bytes, designs, node, leased_until)
    VALUES ('p', 'u', 5, 1, 'n', '${TIME}')`,
};

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
  await createTemplate(server.url);
});
after(() => server[Symbol.asyncDispose]());

/** Creates a database of an older version, without rows. */
async function createOlderDatabase(version: string): Promise<string> {
  const url = await createPostgresDatabase(server.url);
  await runSql(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const migrations = Object.entries(MIGRATIONS).filter(([name]) => name <= version);
  await using database = openPostgres({ url, onError: () => {} });
  await migrate(database, Object.fromEntries(migrations));
  return url;
}

/** Adds the rows of the tables that the database has, and returns all rows of each. */
async function addRows(url: string): Promise<Map<string, object[]>> {
  const added = new Map<string, object[]>();
  for (const [table, rows] of Object.entries(ROWS)) {
    const { rows: found } = await runSql(url, `SELECT to_regclass('public."${table}"') AS name`);
    if (found[0]?.name === null) continue;
    await runSql(url, `INSERT INTO "${table}" ${rows}`);
    added.set(table, await readRows(url, table));
  }
  return added;
}

async function readRows(url: string, table: string): Promise<object[]> {
  const { rows } = await runSql(url, `SELECT * FROM "${table}" ORDER BY 1, 2`);
  return rows;
}

const versions = Object.keys(MIGRATIONS).filter((name) => name >= FIRST_VERSION);

test('there are older versions of the database on PostgreSQL', () => {
  assert.ok(versions.length > 15, `${versions}`);
});

for (const version of versions.slice(0, -1)) {
  test(`a node that updates a PostgreSQL database of the version ${version} keeps its rows`, async () => {
    const url = await createOlderDatabase(version);
    const rowsBefore = await addRows(url);
    assert.ok(rowsBefore.size >= 9);
    const log = { info() {}, warn() {}, error() {} };
    await using opened = await openPostgresDatabase(url, log, { nodeId: 'node', stop() {} });
    for (const [table, rows] of rowsBefore)
      assert.partialDeepStrictEqual(await readRows(url, table), rows, table);
    const readNumbers = (table: 'design' | 'token') =>
      opened.database.selectFrom(table).select('version').execute();
    assert.deepEqual(await readNumbers('design'), [{ version: 1 }]);
    assert.deepEqual(await readNumbers('token'), [{ version: 1 }]);
    const limits = opened.database.selectFrom('design').select('max_texture_size');
    assert.deepEqual(await limits.execute(), [{ max_texture_size: null }]);
  });
}
