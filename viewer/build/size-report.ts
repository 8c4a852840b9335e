import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { BundledScripts } from './scripts.ts';

const BYTES_PER_KB = 1000;
/** Target and limit of the script that is loaded before the first frame, brotli. */
const TARGET_KB = 145;
const LIMIT_KB = 148;

/**
 * Lists the brotli sizes of all files, and that of the script of the first frame.
 *
 * @throws {Error} if that is above its limit
 */
export async function reportSizes(dist: string, { entry }: BundledScripts): Promise<string> {
  const files = await readdir(join(dist, 'assets'));
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(file, await measureBrotliBytes(join(dist, 'assets', file)));

  const entryBytes = sizes.get(entry) ?? 0;
  if (entryBytes > LIMIT_KB * BYTES_PER_KB) {
    throw new Error(
      `The script of the first frame has ${formatKb(entryBytes).trim()} kB, above the limit of ${LIMIT_KB} kB.`,
    );
  }
  const lines = files.map((file) => {
    const label = file === entry ? 'first frame' : 'when needed';
    return `  ${formatKb(sizes.get(file) ?? 0)}  ${label}  ${file}`;
  });
  const page = await measureBrotliBytes(join(dist, 'framed-document.html'));
  return [
    'viewer, kB brotli:',
    ...lines,
    `  ${formatKb(page)}  first frame  framed-document.html`,
    `  ${formatKb(entryBytes)}  the script of the first frame; target ${TARGET_KB}`,
  ].join('\n');
}

async function measureBrotliBytes(path: string): Promise<number> {
  const bytes = await readFile(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  };
  return brotliCompressSync(bytes, { params }).byteLength;
}

function formatKb(bytes: number): string {
  return (bytes / BYTES_PER_KB).toFixed(1).padStart(6);
}
