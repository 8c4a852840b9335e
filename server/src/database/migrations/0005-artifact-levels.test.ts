import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { MIGRATIONS, migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';

const TIME = '2026-01-01T00:00:00.000Z';

test('existing artifacts are kept, and a kind may have several levels', async (t) => {
  const path = join(await openTemporaryDirectory(t), 'cloche.sqlite');
  const database = openSqlite(path);
  t.after(() => database.destroy());
  const earlier = Object.entries(MIGRATIONS).filter(([name]) => name < '0005');
  await migrate(database, Object.fromEntries(earlier));
  const raw = new DatabaseSync(path);
  t.after(() => raw.close());
  raw.exec(`
    PRAGMA foreign_keys = ON;
    INSERT INTO "user" (id, created_at) VALUES ('u', '${TIME}');
    INSERT INTO design (id, user_id, name, description, status, revision_id, created_at, updated_at)
      VALUES ('d', 'u', '', '', 'ready', 'r', '${TIME}', '${TIME}');
    INSERT INTO revision (id, design_id, number, status, source_blob, source_size_bytes, detected_format, created_at)
      VALUES ('r', 'd', 1, 'ready', 'b', 1, '{}', '${TIME}');
    INSERT INTO artifact (revision_id, kind, blob, size_bytes, width, height) VALUES ('r', 'poster', 'p', 7, 40, 30)`);
  await migrate(database);
  const list = () =>
    raw.prepare('SELECT kind, level, blob, size_bytes, width, height FROM artifact').all();
  assert.deepEqual(
    list().map((row) => ({ ...row })),
    [{ kind: 'poster', level: 0, blob: 'p', size_bytes: 7, width: 40, height: 30 }],
  );
  const insert = (level: number) =>
    raw.exec(
      `INSERT INTO artifact (revision_id, kind, level, blob, size_bytes) VALUES ('r', 'textures', ${level}, 'b', 1)`,
    );
  insert(512);
  insert(1024);
  assert.throws(() => insert(1024), /UNIQUE/);
  raw.exec("DELETE FROM revision WHERE id = 'r'");
  assert.deepEqual(list(), []);
});
