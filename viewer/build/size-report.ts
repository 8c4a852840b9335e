import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { BundledScripts } from './scripts.ts';

const BYTES_PER_KB = 1000;
/** Target and limit of all scripts that are loaded before the first frame, brotli. */
const TARGET_KB = 140;
const LIMIT_KB = 145;

/**
 * Lists the brotli sizes of all files, and the sum of the scripts for the first frame.
 *
 * @throws {Error} if the sum is above its limit
 */
export async function reportSizes(
  dist: string,
  { entry, staticImports, decoderScript }: BundledScripts,
): Promise<string> {
  const files = await readdir(join(dist, 'assets'));
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(file, await measureBrotliBytes(join(dist, 'assets', file)));

  const first = [entry, ...staticImports];
  const sumOf = (names: readonly string[]) =>
    names.reduce((bytes, file) => bytes + (sizes.get(file) ?? 0), 0);
  const sum = sumOf(first);
  if (sum > LIMIT_KB * BYTES_PER_KB) {
    throw new Error(
      `The scripts for the first frame have ${formatKb(sum).trim()} kB, above the limit of ${LIMIT_KB} kB.`,
    );
  }
  const lines = files.map((file) => {
    const use = file === decoderScript ? 'to decode' : 'when needed';
    const label = first.includes(file) ? 'first frame' : use;
    return `  ${formatKb(sizes.get(file) ?? 0)}  ${label}  ${file}`;
  });
  const page = await measureBrotliBytes(join(dist, 'framed-document.html'));
  return [
    'viewer, kB brotli:',
    ...lines,
    `  ${formatKb(page)}  first frame  framed-document.html`,
    `  ${formatKb(sum)}  scripts for the first frame; target ${TARGET_KB}`,
    `  ${formatKb(sum + sumOf([decoderScript]))}  with the decoder script`,
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
