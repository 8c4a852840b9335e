import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents, for their owner only. Does nothing if it exists.
 *
 * Replaces the recursive `mkdir` of Node: it reports ENOENT instead of an error that it does not expect, such as
 * EROFS of a read-only disk, and below /proc it never returns.
 *
 * @throws {NodeJS.ErrnoException} the error of the system, also EEXIST if it is not a directory
 */
export async function createDirectory(path: string): Promise<void> {
  try {
    await createOne(path);
  } catch (error) {
    const isParentMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isParentMissing || dirname(path) === path) throw error;
    await createDirectory(dirname(path));
    await createOne(path);
  }
}

async function createOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!exists || !(await isDirectory(path))) throw error;
  }
}

/** False also for a symbolic link without a target. */
async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}
