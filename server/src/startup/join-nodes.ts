import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UUID_PATTERN } from '@cloche/contract/id';
import type { S3Settings } from '../blobs/s3-settings.ts';
import type { Database } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';
import { MIGRATIONS } from '../database/migrate.ts';
import { ConfigError } from '../environment.ts';
import type { Logger } from '../http/logger.ts';
import { HEARTBEAT_INTERVAL_MS, MAX_SILENCE_MS, type NodeRecord } from '../nodes/node.ts';
import { NodeStore } from '../nodes/node-store.ts';
import { type AddNodeOptions, addNode, type NewNode } from './add-node.ts';
import { ClockCheck } from './clock-check.ts';

const HOUR_MS = 60 * 60 * 1000;
const UUID = new RegExp(UUID_PATTERN);
/** A process that did not report so often has ended. */
const MISSED_HEARTBEATS = 3;
const [MAX_READS, READ_INTERVAL_MS] = [20, 100];
/** The errors of file systems that have no hard links, such as exFAT and some network file systems. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP']);

/** How to do without a lock on the id of this node. */
type UnlockedNode = {
  /** Called if another process with the same id has joined. */
  stop: () => void;
};

export type JoinOptions = Pick<AddNodeOptions, 'url'> & {
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  migrations?: AddNodeOptions['migrations'];
  /** Behind a connection pooler, where no lock keeps other processes from having the same id. */
  unlocked?: UnlockedNode | undefined;
};

/** This process, among the nodes that use the database. */
export type JoinedNode = AsyncDisposable & { listNodes(): Promise<NodeRecord[]> };

/**
 * Adds this process to the nodes, and reports that it runs until it is disposed.
 *
 * @throws {ConfigError} another node stores files elsewhere, or has the same id, or a newer one has changed the database
 */
export async function joinNodes(
  database: Database,
  node: NewNode,
  { url, log, migrations = MIGRATIONS, unlocked }: JoinOptions,
): Promise<JoinedNode> {
  const nodes = new NodeStore(database);
  const clock = new ClockCheck(log);
  const readTime = () => clock.readTime(() => readDatabaseTime(database));
  await readTime();
  if (unlocked !== undefined) await assertIdUnused(database, node.id, log);
  const startedAt = await addNode(database, node, { url, log, migrations });
  const report = async () => {
    const isOwn = await nodes.renew({ ...node, startedAt, seenAt: await readTime() });
    if (isOwn || unlocked === undefined) return;
    log.error('another node with the same id uses the database now: this one stops');
    unlocked.stop();
  };
  let reporting: Promise<void> | undefined;
  const timer = setInterval(() => {
    reporting ??= report()
      .catch((err) => log.warn({ err }, 'reporting that this node runs failed'))
      .finally(() => {
        reporting = undefined;
      });
  }, HEARTBEAT_INTERVAL_MS).unref();
  return {
    async listNodes() {
      return nodes.list(new Date((await readDatabaseTime(database)).getTime() - HOUR_MS));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await reporting;
      await nodes.remove(node.id, startedAt).catch(() => {
        // The database does not respond. The row is deleted later.
      });
    },
  };
}

/**
 * Waits until it is known whether another process with this id runs: such a process reports in the meantime.
 *
 * @throws {ConfigError} it does
 */
async function assertIdUnused(
  database: Database,
  id: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const nodes = new NodeStore(database);
  const seenAt = await nodes.findSeenAt(id);
  if (seenAt === undefined) return;
  const startMs = (await readDatabaseTime(database)).getTime();
  if (startMs - seenAt.getTime() > MAX_SILENCE_MS) return;
  log.warn('a node with the id of this one was not stopped: waiting whether it still runs');
  const endMs = seenAt.getTime() + MISSED_HEARTBEATS * HEARTBEAT_INTERVAL_MS;
  while ((await readDatabaseTime(database)).getTime() < endMs) {
    await sleep(READ_INTERVAL_MS);
    const latest = await nodes.findSeenAt(id);
    if (latest === undefined) return;
    if (latest.getTime() !== seenAt.getTime())
      throw new ConfigError(
        `CLOCHE_DATABASE_URL is a database that another node with the id ${id} is using. Each node needs an id, and a data directory, of its own: if CLOCHE_DATA is a copy, delete the file "node-id" in it.`,
      );
  }
}

/** Identifies the place where a node stores files: a bucket, or a folder, which may be mounted with another path elsewhere. */
export async function identifyFiles(
  folder: string,
  s3: Pick<S3Settings, 'endpoint' | 'bucket' | 'prefix'> | undefined,
): Promise<string> {
  if (s3 !== undefined) return `${s3.endpoint}/${s3.bucket}/${s3.prefix}`;
  const path = join(folder, 'folder-id');
  const draft = join(folder, `folder-id.${randomUUID()}`);
  await writeFile(draft, randomUUID(), { mode: 0o600 });
  try {
    await addFile(draft, path);
  } catch (error) {
    if (getCode(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readFolderId(path);
}

/** Another node may be copying the file at this moment. @throws if it is not complete soon */
async function readFolderId(path: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const id = await readFile(path, 'utf8');
    if (UUID.test(id)) return id;
    if (attempt === MAX_READS)
      throw new ConfigError(`The file "${path}" is damaged. Stop all nodes, and delete it.`);
    await sleep(READ_INTERVAL_MS);
  }
}

/** Links or copies a file. Unlike a rename, this does not replace the file of another node: it fails with EEXIST. */
async function addFile(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!WITHOUT_LINKS.has(getCode(error))) throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL);
  }
}

function getCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
