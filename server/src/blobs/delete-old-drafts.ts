import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UUID_PATTERN } from '@cloche/contract/id';

/** Drafts exist for minutes. A blob that is being removed, and may be put back, is younger than a day too. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const UUID = new RegExp(UUID_PATTERN);

/**
 * Deletes files that other processes have left in a directory of blobs: the drafts of nodes that do not exist any more,
 * and blobs that a command was removing. The directories stay, because a node that was suspended for long may still use them.
 */
export async function deleteOldDrafts(directory: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MAX_AGE_MS);
  await deleteOldFiles(directory, before);
  const drafts = join(directory, 'drafts');
  await deleteOldFiles(drafts, before);
  for await (const entry of listEntries(drafts))
    if (entry.isDirectory()) await deleteOldFiles(join(drafts, entry.name), before);
}

async function deleteOldFiles(directory: string, before: Date): Promise<void> {
  for await (const entry of listEntries(directory)) {
    if (!entry.isFile() || !UUID.test(entry.name)) continue;
    const path = join(directory, entry.name);
    const stats = await stat(path).catch(ignoreMissing);
    if (stats !== undefined && stats.mtime < before) await rm(path, { force: true });
  }
}

async function* listEntries(directory: string) {
  const entries = await opendir(directory).catch(ignoreMissing);
  if (entries !== undefined) yield* entries;
}

/** Another node may delete its own files at the same time. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
