import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const UUID = /^[0-9a-f-]{36}$/;

/**
 * Reads the id of this node, by which it recognizes its own jobs after a restart. Creates it at the first start.
 * Without a valid id, the node gets a new one, and its jobs wait for the end of their leases.
 */
export async function loadOrCreateNodeId(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (UUID.test(text.trim())) return text.trim();
  const id = randomUUID();
  await writeFile(path, id, { mode: 0o600 });
  return id;
}
