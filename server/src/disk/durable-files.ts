import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file, or replaces it. When the promise resolves, the new content survives a power failure. After
 * a crash before that, the file has its old content or the new one. A crash may leave `<path>.new`.
 *
 * The order matters: write the new file, sync it, rename it, sync the directory.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const newPath = `${path}.new`;
  {
    await using file = await open(newPath, 'w', 0o600);
    await file.writeFile(text);
    await file.sync();
  }
  await rename(newPath, path);
  await syncDirectory(dirname(path));
}

/** Makes the names in a directory survive a power failure: files that were created, renamed or removed. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path);
  await directory.sync();
}
