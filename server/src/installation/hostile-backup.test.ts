import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { createEmptyInstallation, runOn, runRefused } from '../../testing/installations.ts';
import { USES_POSTGRES } from '../../testing/postgres-run.ts';
import { uploadTestDesign } from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import { countAllRows } from './read-rows.ts';

type Change = (folder: string) => Promise<void>;
// biome-ignore lint/suspicious/noExplicitAny: the tests write invalid manifests
type AnyManifest = any;

/** Changes the manifest of a backup. */
const changeManifest =
  (change: (manifest: AnyManifest) => void): Change =>
  async (folder) => {
    const path = join(folder, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    change(manifest);
    await writeFile(path, JSON.stringify(manifest));
  };

/** Changes the rows of a backup, and its manifest so that it names the changed file. */
const changeRows =
  (...statements: string[]): Change =>
  async (folder) => {
    const path = await findRows(folder);
    const database = new DatabaseSync(path);
    database.exec(
      'PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE; PRAGMA writable_schema = ON',
    );
    for (const statement of statements) database.exec(statement);
    database.close();
    await relabel(folder);
  };

async function findRows(folder: string): Promise<string> {
  const name = (await readdir(folder)).find(
    (candidate) => candidate.endsWith('.sqlite') && candidate.startsWith('rows-'),
  );
  return join(folder, name ?? assert.fail('no rows'));
}

async function findBlob(folder: string): Promise<string> {
  const names = await readdir(join(folder, 'blobs', 'sha256'), { recursive: true });
  return join(folder, 'blobs', 'sha256', names.find((name) => name.length > 64) ?? assert.fail());
}

const replaceByLink =
  (find: (folder: string) => Promise<string>): Change =>
  async (folder) => {
    const path = await find(folder);
    await rename(path, `${folder}-original`);
    await symlink(`${folder}-original`, path);
  };

const cases: [name: string, change: Change, message: RegExp][] = [
  [
    'a truncated manifest',
    (folder) => truncate(join(folder, 'manifest.json'), 100),
    /not complete JSON/,
  ],
  [
    'an empty manifest',
    (folder) => truncate(join(folder, 'manifest.json'), 0),
    /not complete JSON/,
  ],
  [
    'a manifest that is a list',
    (folder) => writeFile(join(folder, 'manifest.json'), '[]'),
    /not complete JSON/,
  ],
  [
    'a manifest of a gigabyte',
    (folder) => truncate(join(folder, 'manifest.json'), 2 ** 30),
    /too large/,
  ],
  [
    'a manifest of another format',
    changeManifest((m) => {
      m.format = 2;
    }),
    /"format" is not 1/,
  ],
  [
    'an unknown field',
    changeManifest((m) => {
      m.__proto = {};
    }),
    /unknown field/,
  ],
  [
    'huge numbers',
    changeManifest((m) => {
      m.blobs.bytes = 1e300;
    }),
    /"blobs" is missing or not valid/,
  ],
  [
    'a number of blobs that is a lie',
    changeManifest((m) => {
      m.blobs.count += 1;
    }),
    /its manifest says \d+ files/,
  ],
  [
    'a number of rows that is a lie',
    changeManifest((m) => {
      m.rows.design = 7;
    }),
    /says 7 rows of "design", and there are 2/,
  ],
  [
    'no numbers of rows',
    changeManifest((m) => {
      m.rows = {};
    }),
    /says 0 rows of "\w+", and there are/,
  ],
  [
    'a name with dots instead of a hash',
    changeManifest((m) => {
      m.database.sha256 = '../../etc/passwd';
    }),
    /"database" is missing or not valid/,
  ],
  [
    'a version that is a text to print',
    changeManifest((m) => {
      m.version = '1.0.0 \u001b[2J';
    }),
    /"version" is missing or not valid/,
  ],
  [
    'a newer version',
    changeManifest((m) => {
      m.version = '99.1.2';
      m.migrations.push('9999-newer');
    }),
    /The backup needs Cloche 99\.1\.2 or newer\. This is Cloche/,
  ],
  [
    'migrations that the rows do not have',
    changeManifest((m) => {
      m.migrations.pop();
    }),
    /migrations are not those of the manifest/,
  ],
  [
    'a link as the manifest',
    replaceByLink(async (folder) => join(folder, 'manifest.json')),
    /"manifest.json".* symbolic link/,
  ],
  ['a link as the rows', replaceByLink(findRows), /"rows-.*symbolic link/],
  ['a link as a blob', replaceByLink(findBlob), /"blobs\/sha256.*symbolic link/],
  [
    'a link as the folder of the blobs',
    replaceByLink(async (folder) => join(folder, 'blobs')),
    /"blobs".*symbolic link/,
  ],
  [
    'a folder as a blob',
    async (folder) => {
      const path = await findBlob(folder);
      await rm(path);
      await mkdir(path);
    },
    /or not a file/,
  ],
  ['a missing blob', async (folder) => rm(await findBlob(folder)), /1 file is missing or damaged/],
  [
    'a blob with other bytes',
    async (folder) => {
      const path = await findBlob(folder);
      const { length } = await readFile(path);
      await writeFile(path, Buffer.alloc(length));
    },
    /has other bytes/,
  ],
  ['a longer blob', async (folder) => truncate(await findBlob(folder), 2 ** 40), /has more than/],
  [
    'rows of which a byte was changed',
    async (folder) => {
      const path = await findRows(folder);
      const bytes = await readFile(path);
      bytes[4000] = (bytes[4000] ?? 0) ^ 1;
      await writeFile(path, bytes);
    },
    /was changed or is not complete/,
  ],
  [
    'truncated rows',
    async (folder) => truncate(await findRows(folder), 5000),
    /was changed or is not complete/,
  ],
  [
    'rows that are no database',
    async (folder) => {
      await writeFile(await findRows(folder), 'x'.repeat(10_000));

      await relabel(folder);
    },
    /rows are not valid/,
  ],
  [
    'a trigger',
    changeRows('CREATE TRIGGER x AFTER INSERT ON design BEGIN DELETE FROM token; END'),
    /has a trigger/,
  ],
  [
    'a view as a table',
    changeRows('DROP TABLE job', 'CREATE VIEW job AS SELECT * FROM revision'),
    /has a view/,
  ],
  ['a virtual table', changeRows('CREATE VIRTUAL TABLE x USING fts5(y)'), /virtual tables/],
  ['a missing table', changeRows('DROP TABLE job'), /no table "job"/],
  [
    'a generated column',
    changeRows('ALTER TABLE job ADD COLUMN x TEXT AS (id)'),
    /columns of its table "job" are others/,
  ],
  ['a text that is a number', changeRows("UPDATE design SET name = x'00ff'"), /"name" is not text/],
  [
    'a number out of range',
    changeRows('UPDATE design SET version = 9007199254740993'),
    /not valid/,
  ],
  [
    'a hash that is a path',
    changeRows("UPDATE revision SET source_blob = '../../../../etc/passwd'"),
    /"source_blob" is not a SHA-256/,
  ],
  ['a negative size', changeRows('UPDATE revision SET source_size_bytes = -1'), /not a size/],
  [
    'invalid JSON',
    changeRows("UPDATE token SET capabilities = 'read'"),
    /"capabilities" is not JSON/,
  ],
  [
    'a row that refers to none',
    changeRows("UPDATE revision SET design_id = 'none' WHERE id = (SELECT min(id) FROM revision)"),
    /"design_id" names a row of "design" that does not exist/,
  ],
  [
    'a status that does not exist',
    changeRows('PRAGMA ignore_check_constraints = ON', "UPDATE revision SET status = 'stolen'"),
    /CHECK constraint failed/,
  ],
  [
    'two rows with one key',
    changeRows(
      'DROP TABLE token_origin',
      'CREATE TABLE token_origin (token_id TEXT, origin TEXT, last_used_at TEXT)',
      "INSERT INTO token_origin SELECT id, 'https://a.example', 'x' FROM token LIMIT 1",
      'INSERT INTO token_origin SELECT * FROM token_origin',
    ),
    /UNIQUE constraint failed|says 0 rows/,
  ],
  [
    'another grant key',
    async (folder) => {
      const name = (await readdir(folder)).find((candidate) => candidate.endsWith('.key'));
      await writeFile(join(folder, name ?? assert.fail('no key')), '1'.repeat(64));
    },
    /"grant-[0-9a-f]+.key" is missing, or was changed/,
  ],
];

/** Gives the file of the rows the name of its content, and lets the manifest name it. */
async function relabel(folder: string): Promise<void> {
  const path = await findRows(folder);
  const bytes = await readFile(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await rename(path, join(folder, `rows-${sha256}.sqlite`));
  await changeManifest((manifest) => {
    manifest.database = { sha256, sizeBytes: bytes.length };
  })(folder);
}

test('a backup that was changed is refused before the installation is changed', async (t) => {
  const service = await openTestServer(t);
  await writeFile(join(service.dataDirectory, 'grant.key'), '0'.repeat(64));
  for (const name of ['chair', 'table']) await uploadTestDesign(service, name);
  const directory = await mkdtemp(join(tmpdir(), 'cloche-hostile-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const original = join(directory, 'original');
  await runOn(service, 'backup', original);
  const target = await createEmptyInstallation(t);
  const before = (await readdir(target.dataDirectory)).sort();
  const database = openDatabaseAgain(t, target.dataDirectory);
  // With PostgreSQL, the key is a setting.
  const used = cases.filter(([name]) => !USES_POSTGRES || name !== 'another grant key');
  for (const [index, [name, change, message]] of used.entries()) {
    await t.test(name, async () => {
      const folder = join(directory, String(index));
      await cp(original, folder, { recursive: true });
      await change(folder);
      const refused = await runRefused(target, 'restore', folder);
      assert.match(refused, message);
      assert.equal(refused.trim().split('\n').at(-1)?.startsWith('cloche: '), true);
      const counts = Object.values(await countAllRows(database));
      assert.ok(counts.every((count) => count === 0));
      const names = (await readdir(target.dataDirectory)).sort();
      assert.deepEqual(
        names.filter((other) => !/^lock|-wal$|-shm$/.test(other)),
        before.filter((other) => !/^lock|-wal$|-shm$/.test(other)),
      );
    });
  }
  await runOn(target, 'restore', original);
});
