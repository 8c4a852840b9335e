import { statfs } from 'node:fs/promises';

/** Returns the free space of the disk with this directory, in bytes. */
export async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
