import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { BundledScripts } from './scripts.ts';

const BYTES_PER_KB = 1000;
/** What the scripts before the first frame may weigh, brotli; the goal and the limit. */
const TARGET_KB = 150;
const LIMIT_KB = 160;

/**
 * What travels before the first frame, and all the rest, in brotli bytes.
 *
 * @throws {Error} when the first is over its limit
 */
export async function reportSizes(
  dist: string,
  { entry, staticImports, previewScripts }: BundledScripts,
): Promise<string> {
  const files = await readdir(join(dist, 'assets'));
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(file, await measureBrotliBytes(join(dist, 'assets', file)));

  const first = [entry, ...staticImports];
  const sumOf = (names: readonly string[]) =>
    names.reduce((bytes, file) => bytes + (sizes.get(file) ?? 0), 0);
  const sum = sumOf(first);
  if (sum > LIMIT_KB * BYTES_PER_KB) {
    throw new Error(`The scripts for the first frame weigh ${formatKb(sum)} kB, over ${LIMIT_KB}.`);
  }
  const lines = files.map((file) => {
    const early = previewScripts.includes(file) ? 'for preview' : 'when needed';
    const mark = first.includes(file) ? 'first frame' : early;
    return `  ${formatKb(sizes.get(file) ?? 0)}  ${mark}  ${file}`;
  });
  const page = await measureBrotliBytes(join(dist, 'framed-document.html'));
  return [
    'viewer, kB brotli:',
    ...lines,
    `  ${formatKb(page)}  first frame  framed-document.html`,
    `  ${formatKb(sum)}  script for the first frame, of ${TARGET_KB}`,
    `  ${formatKb(sum + sumOf(previewScripts))}  with what reads a preview`,
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
