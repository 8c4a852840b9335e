import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { ConfigError } from '../config.ts';

/** Reads the key that signs grants; makes it at the first start. */
export async function loadOrCreateGrantKey(path: string): Promise<Buffer> {
  const text = (await readFileIfExists(path)) ?? (await createKeyFile(path));
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length >= 32) return key;
  throw new ConfigError(`${path} does not hold a key. Delete it; the next start makes another.`);
}

/** Whole or not at all, and never over one that another process made meanwhile. */
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
  return readFile(path, 'utf8');
}

function readFileIfExists(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
