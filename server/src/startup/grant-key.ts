import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../disk/durable-files.ts';
import { ConfigError } from '../environment.ts';

/** Reads the key that signs asset grants. Creates it at the first start. @throws {ConfigError} */
export async function loadOrCreateGrantKey(path: string): Promise<Buffer> {
  const text = (await readFileIfExists(path)) ?? (await createKeyFile(path));
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length >= 32) return key;
  throw new ConfigError(
    `${path} does not contain a valid key. Delete it; the next start creates a new one.`,
  );
}

/** Writes a complete key or none, and never replaces a key that another process has created. */
async function createKeyFile(path: string): Promise<string> {
  const draft = `${path}.${process.pid}`;
  {
    await using file = await open(draft, 'w', 0o600);
    await file.writeFile(randomBytes(32).toString('hex'));
    await file.sync();
  }
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  // Preview links are signed with this key: they must be valid after a power failure.
  await syncDirectory(dirname(path));
  return readFile(path, 'utf8');
}

function readFileIfExists(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
