import { Buffer } from 'node:buffer';
import fs, { type BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/**
 * Which names survive the power failure. Only the bytes that were synced survive in both cases: a file that
 * was never synced is empty.
 *
 * - `synced`: those of the last sync of their directory. Finds a directory that is not synced.
 * - `current`: all, because the file system wrote its journal before the bytes. Finds a file that is renamed
 *   before it is synced.
 */
export type SurvivingNames = 'synced' | 'current';

/**
 * Records what is synced in a directory and everything in it, and recreates what a power failure would leave
 * in the worst case that POSIX allows. Records `sync` and `datasync` of each FileHandle of this process, so that
 * the code under test is the code of the service. SQLite writes and syncs its own files: they are copied.
 */
export class PowerFailureSimulator {
  readonly #root: string;
  /** By the identity of the file. */
  readonly #contents = new Map<string, Buffer>();
  /** Identities by name, by the identity of the directory. */
  readonly #directories = new Map<string, Map<string, string>>();
  /** What was synced so far, such as `directory uploads`. */
  readonly syncedPaths: string[] = [];

  private constructor(root: string) {
    this.#root = root;
  }

  /** Starts to record. The recording stops after the test. What is in `root` now counts as synced. */
  static async start(t: TestContext, root: string): Promise<PowerFailureSimulator> {
    const simulator = new PowerFailureSimulator(root);
    simulator.#recordTree(root);
    const prototype = await getFileHandlePrototype(root);
    for (const method of ['sync', 'datasync'] as const) {
      const original = prototype[method];
      t.mock.method(prototype, method, async function (this: FileHandle) {
        await original.call(this);
        simulator.#recordSync(this.fd);
      });
    }
    return simulator;
  }

  /** Writes to `target` what a power failure would leave now. */
  restore(target: string, survivingNames: SurvivingNames): void {
    this.#restoreDirectory(this.#root, target, survivingNames);
  }

  #recordSync(fd: number): void {
    const stats = fs.fstatSync(fd, { bigint: true });
    const path = findPath(this.#root, toIdentity(stats));
    if (path === undefined) return;
    this.#record(path, stats);
    this.syncedPaths.push(path.slice(this.#root.length + 1));
  }

  #record(path: string, stats: BigIntStats): void {
    if (stats.isFile()) this.#contents.set(toIdentity(stats), fs.readFileSync(path));
    if (stats.isDirectory()) this.#directories.set(toIdentity(stats), listIdentities(path));
  }

  #recordTree(path: string): void {
    const stats = fs.lstatSync(path, { bigint: true });
    this.#record(path, stats);
    if (!stats.isDirectory()) return;
    for (const name of fs.readdirSync(path)) this.#recordTree(join(path, name));
  }

  #restoreDirectory(path: string, target: string, survivingNames: SurvivingNames): void {
    fs.mkdirSync(target, { recursive: true });
    const current = listIdentities(path);
    const synced = this.#directories.get(toIdentity(fs.lstatSync(path, { bigint: true })));
    const names = survivingNames === 'current' ? current : (synced ?? new Map<string, string>());
    for (const [name, identity] of names) {
      const childPath = join(path, name);
      const childTarget = join(target, name);
      if (/\.sqlite(-wal)?$/.test(name)) fs.copyFileSync(childPath, childTarget);
      else if (/\.sqlite-shm$/.test(name)) continue;
      else if (current.get(name) === identity && fs.lstatSync(childPath).isDirectory())
        this.#restoreDirectory(childPath, childTarget, survivingNames);
      else fs.writeFileSync(childTarget, this.#contents.get(identity) ?? Buffer.alloc(0));
    }
  }
}

async function getFileHandlePrototype(path: string): Promise<FileHandle> {
  await using file = await open(path);
  return Object.getPrototypeOf(file);
}

/** The number of a deleted file is used again, so the time of its creation is needed as well. */
const toIdentity = ({ ino, birthtimeNs }: BigIntStats) => `${ino} ${birthtimeNs}`;

function listIdentities(directory: string): Map<string, string> {
  return new Map(
    fs
      .readdirSync(directory)
      .map((name) => [
        name,
        fs.lstatSync(join(directory, name), { bigint: true, throwIfNoEntry: false }),
      ])
      .flatMap(([name, stats]) =>
        stats ? [[name as string, toIdentity(stats as BigIntStats)]] : [],
      ),
  );
}

/** Finds the file or directory with an identity. */
function findPath(path: string, identity: string): string | undefined {
  const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (toIdentity(stats) === identity) return path;
  if (!stats.isDirectory()) return undefined;
  for (const name of fs.readdirSync(path)) {
    const found = findPath(join(path, name), identity);
    if (found !== undefined) return found;
  }
  return undefined;
}
