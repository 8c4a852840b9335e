import { statSync } from 'node:fs';
import { chmod, lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '../disk/create-directory.ts';
import { ConfigError } from '../environment.ts';

const GROUP_AND_OTHERS = 0o077;

/** Creates the data directory if it does not exist. @throws {ConfigError} */
export async function ensureDataDirectory(directory: string): Promise<void> {
  try {
    await createDirectory(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `CLOCHE_DATA is "${directory}", which cannot be created (${code}). Set a directory that can be created or written to.`,
    );
  }
}

/** Gives up the rights of root: files that root creates could not be opened by the service. */
export function becomeOwner(dataDirectory: string): void {
  const { uid, gid } = statSync(dataDirectory);
  if (process.geteuid?.() !== 0 || uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/**
 * Takes all permissions of group and others from the data directory and everything in it: it may have been
 * created by hand, or copied. Returns the paths whose permissions could not be changed, because they
 * belong to another user.
 */
export async function restrictPermissions(directory: string): Promise<string[]> {
  const failed = await restrictEntry(directory);
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) failed.push(...(await restrictPermissions(path)));
    else failed.push(...(await restrictEntry(path)));
  }
  return failed;
}

async function restrictEntry(path: string): Promise<string[]> {
  const entry = await lstat(path).catch(ignoreNotFound);
  if (entry === undefined || entry.isSymbolicLink() || (entry.mode & GROUP_AND_OTHERS) === 0)
    return [];
  try {
    await chmod(path, entry.mode & 0o7777 & ~GROUP_AND_OTHERS);
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    return [path];
  }
}

/** A worker process of a service that crashed may still be deleting its files. */
function ignoreNotFound(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
