import { readdir, readlink } from 'node:fs/promises';

/** Lists the files below a directory that this process has open. Linux only. */
export async function listOpenFiles(directory: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(
    descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  );
  return paths.filter((path) => path.startsWith(directory));
}
