import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { skipWithout } from '../../../scripts/optional-programs.ts';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { type NodeConnection, usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { runSql } from '../../testing/run-sql.ts';
import { useS3Server } from '../../testing/s3-server.ts';
import type { Database } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { listRefs, readBlob, storeBlob } from './blob-store.contract.ts';
import type { BlobRef, FileBlobStore } from './blob-store.ts';
import { DiskBlobStore } from './disk-blob-store.ts';
import { lateRemovalsContract } from './late-removals.contract.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { S3Bucket } from './s3-bucket.ts';
import { SharedBlobStore } from './shared-blob-store.ts';

const TWO_HOURS_MS = 2 * 60 * 60 * 1000;
const REMOVE_BLOB = fileURLToPath(import.meta.resolve('../../testing/remove-blob-until-signal.ts'));

const postgres = usePostgresNodes();

function openNode(t: TestContext, connection: NodeConnection): Database {
  const database = openPostgres({ ...connection, onError: () => {}, maxConnections: 4 });
  t.after(() => database.destroy());
  return database;
}

/** Opens stores whose common clock can be advanced. */
function createClock() {
  let advancedMs = 0;
  const readTime = async () => new Date(Date.now() + advancedMs);
  return {
    open: (inner: FileBlobStore, database: Database) =>
      new SharedBlobStore(inner, database, { isNeeded: async () => false, readTime }),
    endRetention: () => {
      advancedMs += TWO_HOURS_MS;
    },
  };
}

describe('nodes with a bucket', { skip: skipWithout('radosgw') }, () => {
  const s3 = useS3Server();
  lateRemovalsContract(
    'PostgreSQL',
    () => s3.settings.endpoint,
    async (t, endpoint) => {
      const connection = await postgres.createDatabase();
      const { open, endRetention } = createClock();
      const settings = { ...s3.settings, prefix: `${randomUUID()}/` };
      const openStore = async (changes = {}) => {
        const directory = await openTemporaryDirectory(t);
        const inner = await S3BlobStore.open({ ...settings, ...changes }, directory);
        t.after(() => inner[Symbol.dispose]());
        return open(inner, openNode(t, connection));
      };
      const remover = await openStore({ endpoint });
      const storer = await openStore();
      const bucket = new S3Bucket(settings);
      t.after(() => bucket[Symbol.dispose]());
      const listKeys = async () =>
        (await Array.fromAsync(bucket.list('sha256/'))).map(({ key }) => key);
      const database = openNode(t, connection);
      return { remover, storer, database, listKeys, endRetention };
    },
  );
});

describe('nodes with a folder', () => {
  /** A folder with one blob, which another process removes until it sends itself a signal before the system call. */
  const openFolder = async (t: TestContext, signal: NodeJS.Signals) => {
    const connection = await postgres.createDatabase();
    const directory = await openTemporaryDirectory(t);
    const inner = await DiskBlobStore.open(directory, 'drafts/second');
    const ref = await storeBlob(inner, 'hello');
    const { url, isPooled } = connection;
    const child = spawn(
      process.execPath,
      [REMOVE_BLOB, url, String(isPooled), directory, ref, signal],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    t.after(() => child.kill('SIGKILL'));
    const listNames = () => readdir(join(directory, 'sha256', ref.slice(0, 2)));
    const openSecond = () => {
      const database = openNode(t, connection);
      const clock = createClock();
      return { database, second: clock.open(inner, database), endRetention: clock.endRetention };
    };
    return { connection, child, closed: once(child, 'close'), ref, listNames, openSecond };
  };

  const listRemovals = (database: Database, ref: BlobRef) =>
    database.selectFrom('blob_removal').select('generation').where('blob', '=', ref).execute();

  it('a node that was suspended before it removes a file does not delete bytes that were stored since', async (t) => {
    const { connection, child, closed, ref, listNames, openSecond } = await openFolder(
      t,
      'SIGSTOP',
    );
    await waitUntil('the process to be suspended', () => isSuspended(child));
    // As PostgreSQL does with a transaction that is idle for a minute.
    const { pathname } = new URL(connection.url);
    await runSql(
      Object.assign(new URL(postgres.server.url), { pathname }).href,
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'cloche'`,
    );
    const { second } = openSecond();
    await storeBlob(second, 'hello');
    child.kill('SIGCONT');
    assert.deepEqual(await closed, [0, null]);
    assert.deepEqual(await listNames(), [`${ref}.1`], 'the other file was deleted');
    assert.equal(await readBlob(second, ref), 'hello');
    assert.deepEqual(await listRefs(second), [ref]);
  });

  it('a node that ended between the row and the removal leaves a blob that can be stored, read and removed', async (t) => {
    const { closed, ref, listNames, openSecond } = await openFolder(t, 'SIGKILL');
    assert.deepEqual(await closed, [null, 'SIGKILL']);
    const { database, second, endRetention } = openSecond();
    assert.deepEqual(await listRemovals(database, ref), [{ generation: 0 }]);
    assert.equal(await readBlob(second, ref), 'hello');
    for (let round = 0; round < 2; round += 1) {
      await storeBlob(second, 'hello');
      assert.ok((await listNames()).includes(`${ref}.1`));
      assert.equal(await readBlob(second, ref), 'hello');
      endRetention();
      assert.equal(await second.remove(ref), true);
      assert.deepEqual(await listNames(), []);
      assert.equal(await second.open(ref), undefined);
      assert.deepEqual(await listRemovals(database, ref), [{ generation: 0 }]);
    }
  });
});

async function isSuspended({ pid, exitCode }: ChildProcess): Promise<boolean> {
  assert.equal(exitCode, null, 'the process has ended');
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name of the program, which is in parentheses.
  return /\) T /.test(status);
}
