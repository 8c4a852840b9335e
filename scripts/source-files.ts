import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** The text of each file by its path, relative to the root and with `/`. */
export type SourceFiles = ReadonlyMap<string, string>;

/** Reads the files that match a pattern, without dependencies and build output. */
export async function readSourceFiles(root: string, patterns: string[]): Promise<SourceFiles> {
  const files = new Map<string, string>();
  const exclude = ['**/node_modules/**', '**/dist/**'];
  for await (const path of glob(patterns, { cwd: root, exclude }))
    files.set(path.split(sep).join('/'), await readFile(join(root, path), 'utf8'));
  return files;
}
