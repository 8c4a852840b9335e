import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { MIGRATIONS, migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';

const TIME = '2026-01-01T00:00:00.000Z';

test('existing designs keep their revisions, artifacts and jobs', async (t) => {
  const path = join(await openTemporaryDirectory(t), 'cloche.sqlite');
  const database = openSqlite(path);
  t.after(() => database.destroy());
  const earlier = Object.entries(MIGRATIONS).filter(([name]) => name < '0003');
  await migrate(database, Object.fromEntries(earlier));
  const raw = new DatabaseSync(path);
  t.after(() => raw.close());
  raw.exec(`
    INSERT INTO "user" (id, created_at) VALUES ('u', '${TIME}');
    INSERT INTO design (id, user_id, name, description, status, revision_id, created_at, updated_at)
      VALUES ('d', 'u', 'Grüner Stuhl', 'Eiche', 'queued', 'r1', '${TIME}', '${TIME}');
    INSERT INTO revision VALUES ('r1', 'd', 1, 'ready', 'blob', 1, '{}', '{}', NULL, NULL, NULL, '${TIME}');
    INSERT INTO revision VALUES ('r2', 'd', 2, 'queued', 'blob', 1, '{}', NULL, NULL, NULL, NULL, '${TIME}');
    INSERT INTO artifact VALUES ('r1', 'model', 'blob', 1, NULL, NULL);
    INSERT INTO job VALUES ('j', 'r2', 0, '${TIME}', NULL, '${TIME}')`);
  await migrate(database);
  const get = (sql: string) => ({ ...raw.prepare(sql).get() });
  assert.deepEqual(
    get('SELECT name, tags, metadata, last_revision, sort_name, search_text FROM design'),
    {
      name: 'Grüner Stuhl',
      tags: '[]',
      metadata: '{}',
      last_revision: 2,
      sort_name: 'grüner stuhl',
      search_text: 'grüner stuhl\u001feiche',
    },
  );
  for (const [table, count] of [
    ['revision', 2],
    ['artifact', 1],
    ['job', 1],
  ] as const)
    assert.deepEqual(get(`SELECT count(*) AS n FROM ${table}`), { n: count }, table);
  raw.exec("PRAGMA foreign_keys = ON; DELETE FROM design WHERE id = 'd'");
  for (const table of ['revision', 'artifact', 'job'])
    assert.deepEqual(get(`SELECT count(*) AS n FROM ${table}`), { n: 0 }, table);
  assert.deepEqual(raw.prepare('PRAGMA foreign_key_check').all(), []);
});
