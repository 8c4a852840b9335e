import { execFile } from 'node:child_process';
import { mkdtemp, open, rmdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);
const MIB = 1024 ** 2;
const DISK_SIZE_BYTES = 24 * MIB;

/** Mounts a small disk, by default for any number of files; returns undefined and skips the test if that is not permitted. */
export async function mountTmpfs(
  t: TestContext,
  { inodes = 0 }: { /** Maximum number of files and directories. */ inodes?: number } = {},
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-disk-'));
  try {
    await execFileAsync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${DISK_SIZE_BYTES},nr_inodes=${inodes}`,
      'tmpfs',
      folder,
    ]);
  } catch (error) {
    t.skip(
      `a tmpfs cannot be mounted: ${String((error as Error).message)
        .split('\n')
        .at(-2)}`,
    );
    await rmdir(folder);
    return undefined;
  }
  // Lazy: a process may still use it.
  t.after(() => execFileAsync('umount', ['-l', folder]).then(() => rmdir(folder)));
  return folder;
}

/** Returns the free space of the disk. */
export async function getFreeBytes(disk: string): Promise<number> {
  const { bavail, bsize } = await statfs(disk);
  return bavail * bsize;
}

/** Writes a file that leaves that much free space. */
export async function fillDisk(disk: string, freeBytes: number): Promise<string> {
  const filler = join(disk, 'filler');
  const bytes = Math.max(0, (await getFreeBytes(disk)) - freeBytes);
  // The service may use the last of the space first.
  await writeFile(filler, Buffer.alloc(bytes)).catch(ignoreEnospc);
  return filler;
}

function ignoreEnospc(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOSPC') throw error;
}

/** Uses the last byte of the disk. */
export async function fillRest(disk: string): Promise<void> {
  await using file = await open(join(disk, 'rest'), 'a');
  await file.writeFile(Buffer.alloc(16 * MIB)).catch(ignoreEnospc);
  await file.writeFile(Buffer.alloc(1)).catch(ignoreEnospc);
}
