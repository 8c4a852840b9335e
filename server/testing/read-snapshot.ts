import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Reads everything about a directory that a program could change: names, modes, times, contents. */
export async function readSnapshot(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = [
    directory,
    ...entries.map(({ parentPath, name }) => join(parentPath, name)),
  ].toSorted();
  const snapshot: Record<string, string> = {};
  for (const path of paths) {
    const { mode, mtimeNs, size } = await lstat(path, { bigint: true });
    const isFile = entries.some(
      (entry) => entry.isFile() && join(entry.parentPath, entry.name) === path,
    );
    const hash = isFile
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : '';
    snapshot[relative(directory, path)] = [mode.toString(8), mtimeNs, size, hash].join(' ');
  }
  return snapshot;
}
