import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallationConfig } from './open-installation.ts';

/** The file of the grant key. Undefined: the key is a setting. */
export function getGrantKeyFile({
  dataDirectory,
  database,
  grantKey,
}: InstallationConfig): string | undefined {
  const isSetting = database.kind === 'postgres' || grantKey !== undefined;
  return isSetting ? undefined : join(dataDirectory, 'grant.key');
}

/** Reads the key, or returns undefined if there is no such file. */
export async function readGrantKeyFile(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  return text?.trim();
}
