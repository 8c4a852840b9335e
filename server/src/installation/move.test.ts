import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer } from '../../testing/harness.ts';
import { verify } from '../../testing/installations.ts';
import {
  PASSWORD_USER,
  type PostgresServer,
  startPostgresServer,
} from '../../testing/postgres-server.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { runInProcess } from '../../testing/run-cloche-server.ts';
import { runSql } from '../../testing/run-sql.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { openSqlite } from '../database/sqlite.ts';
import { acquireDataDirectoryLock } from '../startup/data-directory-lock.ts';
import { lockPostgresDatabase, openPostgresDatabase } from '../startup/open-postgres-database.ts';
import { move } from './move.ts';
import { summarizeTable } from './read-rows.ts';
import { COPIED_TABLES } from './tables.ts';

const CLOCHE_GRANT_KEY = '0'.repeat(64);
const RUN_SQL = import.meta.resolve('../../testing/run-sql.ts');
const PASSWORD = 'p@ss/w:rd %41';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
  await createTemplate(server.url);
});
after(() => server[Symbol.asyncDispose]());

/** The data of a service with three designs, of which one is deleted, and a rotated token. The service has ended. */
async function openService(t: TestContext) {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'chair');
  await uploadTestDesign(service, 'table');
  const deleted = await uploadTestDesign(service, 'stool');
  await sendRequest(service, 'DELETE', `/v1/designs/${deleted.id}`);
  const embedToken = await issueToken(service);
  await sendRequest(service, 'POST', `/v1/tokens/${embedToken.id}/rotate`, {});
  // Otherwise it writes when tokens were last used, between two moves on a slow machine.
  await service.app.close();
  return { service, design, embedToken };
}

async function run(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const result = await runInProcess(args, { CLOCHE_GRANT_KEY, ...environment });
  assert.equal(result.status, 0, result.stderr);
  return result;
}

async function runRefused(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const result = await runInProcess(args, { CLOCHE_GRANT_KEY, ...environment });
  assert.notEqual(result.status, 0, result.stderr);
  return result.stderr;
}

async function summarize(database: Database) {
  const summaries: Record<string, unknown> = {};
  for (const [name, table] of COPIED_TABLES)
    summaries[name] = await summarizeTable(database, name, table);
  await database.destroy();
  return summaries;
}

const summarizeSqlite = (directory: string) =>
  summarize(openSqlite(join(directory, 'cloche.sqlite')));
const summarizePostgres = (url: string) => summarize(openPostgres({ url, onError: () => {} }));

test('an installation is the same after it was moved to PostgreSQL and a folder, and back', async (t) => {
  const { service, design, embedToken } = await openService(t);
  const { dataDirectory } = service;
  const url = await createPostgresDatabase(server.url);
  const files = join(await openTemporaryDirectory(t), 'files');
  const before = await summarizeSqlite(dataDirectory);
  const { stderr } = await run(
    { CLOCHE_DATA: dataDirectory },
    'move',
    '--to-database',
    url,
    '--to-files',
    files,
  );
  assert.match(stderr, /Everything is in .* and was checked: 2 designs/);
  assert.match(stderr, /Rename ".*blobs"/);
  assert.deepEqual(await summarizePostgres(url), before);
  assert.deepEqual(await summarizeSqlite(dataDirectory), before, 'the old one is not changed');
  const moved = { CLOCHE_DATA: dataDirectory, CLOCHE_DATABASE_URL: url, CLOCHE_FILES: files };
  await run(moved, 'verify');
  assert.equal(JSON.parse((await run(moved, 'gc', '--dry-run', '--json')).stdout).count, 0);
  const again = await run(
    { CLOCHE_DATA: dataDirectory },
    'move',
    '--to-database',
    url,
    '--to-files',
    files,
  );
  assert.match(again.stderr, /copied now: 0\)/);

  const back = join(await openTemporaryDirectory(t), 'data');
  await run(moved, 'move', '--to-database', back, '--to-files', join(back, 'blobs'));
  assert.deepEqual(await summarizeSqlite(back), before);
  assert.equal((await verify({ dataDirectory: back })).status, 0);
  const restored = { ...(await openTestServer(t, { dataDirectory: back })), token: service.token };
  const model = await sendRequest(restored, 'GET', `/v1/designs/${design.id}/model`);
  assert.equal(model.statusCode, 200);
  const embed = await restored.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${embedToken.token}`,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(embed.statusCode, 200, embed.body);
});

test('a target with other rows or files is refused, and not changed', async (t) => {
  const { service } = await openService(t);
  const settings = { CLOCHE_DATA: service.dataDirectory };
  const other = await openTestServer(t);
  const otherRows = await summarizeSqlite(other.dataDirectory);
  assert.match(
    await runRefused(settings, 'move', '--to-database', other.dataDirectory),
    /There are other rows already in the database in .*user: 1/,
  );
  assert.deepEqual(await summarizeSqlite(other.dataDirectory), otherRows);
  await uploadTestDesign(other, 'another');
  const url = await createPostgresDatabase(server.url);
  const files = join(other.dataDirectory, 'blobs');
  const message = await runRefused(settings, 'move', '--to-database', url, '--to-files', files);
  assert.match(message, /There are files of other designs in/);
  const { rows } = await runSql(url, 'SELECT 1 FROM "user"');
  assert.deepEqual(rows, []);
});

test('while a service uses the source or the target, nothing is moved; during a move, no node starts', async (t) => {
  const { service } = await openService(t);
  const settings = { CLOCHE_DATA: service.dataDirectory };
  const url = await createPostgresDatabase(server.url);
  {
    using _lock = acquireDataDirectoryLock(service.dataDirectory);
    const message = await runRefused(settings, 'move', '--to-database', url);
    assert.match(message, /which another Cloche process is using/);
  }
  const log = { info() {}, warn() {}, error() {} };
  const openNode = () => openPostgresDatabase(url, log, { nodeId: 'node', stop() {} });
  {
    await using _node = await openNode();
    const message = await runRefused(settings, 'move', '--to-database', url);
    assert.match(message, /which a node or another command is using\. Stop all nodes first/);
  }
  {
    await using _lock = await lockPostgresDatabase(url);
    await assert.rejects(openNode(), { name: 'ConfigError', message: /"cloche-server restore"/ });
  }
  await run(settings, 'move', '--to-database', url);
  await using _node = await openNode();
});

test('a damaged file stops the move before the rows, and the move is continued', async (t) => {
  const { service } = await openService(t);
  const settings = { CLOCHE_DATA: service.dataDirectory };
  const target = join(await openTemporaryDirectory(t), 'data');
  const names = await readdir(join(service.dataDirectory, 'blobs', 'sha256'), { recursive: true });
  const name = names.find((candidate) => candidate.length > 64) ?? assert.fail();
  const path = join(service.dataDirectory, 'blobs', 'sha256', name);
  const bytes = await readFile(path);
  await writeFile(path, Buffer.alloc(bytes.length));
  const message = await runRefused(settings, 'move', '--to-database', target);
  assert.match(message, /1 file is missing or damaged: .* has other bytes/);
  const counts = (await summarizeSqlite(target)) as Record<string, { count: number }>;
  assert.equal(counts.user?.count, 0);
  await writeFile(path, bytes);
  const { stderr } = await run(settings, 'move', '--to-database', target);
  assert.doesNotMatch(stderr, /copied now: [03]\)/, 'those that were there are not copied again');
  await rm(path);
  assert.equal((await verify({ dataDirectory: target })).status, 0);
});

/** An installation with PostgreSQL and a shared folder. */
async function createPostgresInstallation(t: TestContext) {
  const { service } = await openService(t);
  const CLOCHE_DATABASE_URL = await createPostgresDatabase(server.url);
  const CLOCHE_FILES = join(await openTemporaryDirectory(t), 'files');
  const target = ['--to-database', CLOCHE_DATABASE_URL, '--to-files', CLOCHE_FILES];
  await run({ CLOCHE_DATA: service.dataDirectory }, 'move', ...target);
  const CLOCHE_DATA = await openTemporaryDirectory(t);
  return { CLOCHE_DATA, CLOCHE_DATABASE_URL, CLOCHE_FILES, CLOCHE_GRANT_KEY };
}

test('nothing is moved or restored if the lock of the database was lost', async (t) => {
  const settings = await createPostgresInstallation(t);
  const url = await createPostgresDatabase(server.url);
  // The connections of locks end while the rows are written.
  await runSql(
    url,
    `CREATE FUNCTION end_locks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name LIKE 'cloche lock %';
      RETURN NULL; END $$`,
  );
  await runSql(url, 'CREATE TRIGGER end_locks AFTER INSERT ON "user" EXECUTE FUNCTION end_locks()');
  const lost = /The connection to .* was lost, so a node may have changed the database/;
  assert.match(await runRefused(settings, 'move', '--to-database', url), lost);
  const folder = join(await openTemporaryDirectory(t), 'backup');
  await run(settings, 'backup', folder);
  const restored = {
    ...settings,
    CLOCHE_DATABASE_URL: url,
    CLOCHE_FILES: join(await openTemporaryDirectory(t), 'files'),
  };
  assert.match(await runRefused(restored, 'restore', folder), lost);
  const { rows } = await runSql(url, 'SELECT 1 FROM "user"');
  assert.deepEqual(rows, []);
});

test('a move reads one state of the rows', async (t) => {
  const settings = await createPostgresInstallation(t);
  const from = readConfig(settings);
  const to = { ...from, database: { kind: 'sqlite' as const } };
  await using source = openPostgres({ url: settings.CLOCHE_DATABASE_URL, onError: () => {} });
  const before = await summarizePostgres(settings.CLOCHE_DATABASE_URL);
  let isChanged = false;
  const onProgress = () => {
    if (isChanged) return;
    isChanged = true;
    runSqlSync(settings.CLOCHE_DATABASE_URL, "UPDATE design SET name = 'changed'");
  };
  await move({ from, to, database: source, onProgress });
  assert.ok(isChanged);
  assert.notDeepEqual(await summarizePostgres(settings.CLOCHE_DATABASE_URL), before);
  assert.deepEqual(await summarizeSqlite(settings.CLOCHE_DATA), before);
});

/** Runs SQL in another process, and waits for its end. */
function runSqlSync(url: string, text: string): void {
  const program = `import { runSql } from ${JSON.stringify(RUN_SQL)}; await runSql(${JSON.stringify(url)}, ${JSON.stringify(text)});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program]);
}

test('passwords are not arguments, and are in no message', async (t) => {
  const { service } = await openService(t);
  const settings = { CLOCHE_DATA: service.dataDirectory };
  await runSql(server.url, `CREATE ROLE ${PASSWORD_USER} SUPERUSER LOGIN PASSWORD '${PASSWORD}'`);
  const url = new URL(await createPostgresDatabase(server.url));
  url.username = PASSWORD_USER;
  const toDatabase = ['move', '--to-database', url.href];
  const withPassword = Object.assign(new URL(url), { password: 'visible' }).href;
  const visible = await runRefused(settings, 'move', '--to-database', withPassword);
  assert.match(visible, /other users of this machine can see.*CLOCHE_TO_DATABASE_PASSWORD/);
  const wrong = await runRefused(
    { ...settings, CLOCHE_TO_DATABASE_PASSWORD: 's3cret' },
    ...toDatabase,
  );
  assert.match(wrong, /which refuses the password/);
  for (const message of [visible, wrong]) assert.doesNotMatch(message, /visible@|s3cret/);
  await run({ ...settings, CLOCHE_TO_DATABASE_PASSWORD: PASSWORD }, ...toDatabase);
});

const invalidCases: [args: string[], message: RegExp][] = [
  [[], /Write --to-database, --to-s3, --to-files/],
  [['--to-s3', 'https://s3.example.com/bucket', '--to-files', '/x'], /both set/],
  [['--to-s3', 'https://s3.example.com/bucket'], /CLOCHE_TO_S3_KEY and CLOCHE_TO_S3_SECRET/],
  [['--to-s3', 'https://key:secret@s3.example.com/bucket'], /not the address of a bucket/],
  [['--to-database', 'postgres://user:pass@host'], /not the URL of a PostgreSQL database/],
];

test('invalid arguments are refused', async (t) => {
  const { service } = await openService(t);
  const settings = { CLOCHE_DATA: service.dataDirectory };
  for (const [args, message] of invalidCases)
    assert.match(await runRefused(settings, 'move', ...args), message);
  const same = await runRefused(settings, 'move', '--to-database', service.dataDirectory);
  assert.match(same, /is there already/);
});

test('the data directory is refused as the folder of files, as at the start', async (t) => {
  const { service } = await openService(t);
  const settings = { CLOCHE_DATA: service.dataDirectory };
  const url = await createPostgresDatabase(server.url);
  const link = join(await openTemporaryDirectory(t), 'link');
  await symlink(service.dataDirectory, link);
  for (const path of [service.dataDirectory, link, join(service.dataDirectory, 'uploads', 'x')]) {
    const message = await runRefused(settings, 'move', '--to-database', url, '--to-files', path);
    assert.match(message, /--to-files is ".*", a directory that this node uses for its own files/);
  }
  assert.ok(!(await readdir(service.dataDirectory)).includes('sha256'), 'files were copied');
  // SQLite in the folder that the installation uses already.
  const shared = await createPostgresInstallation(t);
  const same = await runRefused(shared, 'move', '--to-database', shared.CLOCHE_FILES);
  assert.match(same, /CLOCHE_FILES is ".*", a directory that this node uses for its own files/);

  const folder = join(await openTemporaryDirectory(t), 'backup');
  await run(settings, 'backup', folder);
  const restored = { ...shared, CLOCHE_DATABASE_URL: url, CLOCHE_FILES: shared.CLOCHE_DATA };
  const refused = await runRefused(restored, 'restore', folder);
  assert.match(refused, /CLOCHE_FILES is ".*", a directory that this node uses for its own files/);
});
