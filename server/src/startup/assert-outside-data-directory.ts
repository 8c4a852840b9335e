import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigError } from '../environment.ts';

/**
 * Asserts that a shared folder is not a directory that the node uses for its own files: uploads in the data directory are
 * deleted if the files are elsewhere.
 *
 * @param setting how the message names the shared folder
 * @throws {ConfigError}
 */
export async function assertOutsideDataDirectory(
  { dataDirectory, filesDirectory: path }: Pick<Config, 'dataDirectory' | 'filesDirectory'>,
  setting = 'CLOCHE_FILES',
): Promise<void> {
  if (path === undefined) return;
  const [files, data] = await Promise.all([toRealPath(path), toRealPath(dataDirectory)]);
  if (files !== data && !`${files}${sep}`.startsWith(`${data}${sep}uploads${sep}`)) return;
  throw new ConfigError(
    `${setting} is "${path}", a directory that this node uses for its own files (CLOCHE_DATA is "${dataDirectory}"). Set ${setting} to another directory.`,
  );
}

/** Links must not hide that two paths are the same directory. A path that does not exist is returned as it is. */
function toRealPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
