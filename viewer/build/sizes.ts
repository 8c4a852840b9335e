import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Scripts } from './scripts.ts';

const KILO = 1000;
/** What the scripts before the first frame may weigh, brotli; the goal and the limit. */
const GOAL_KILO = 150;
const LIMIT_KILO = 160;

/**
 * What travels before the first frame, and all the rest, in brotli bytes.
 *
 * @throws {Error} when the first is over its limit
 */
export async function reportSizes(
  dist: string,
  { entry, imported, preview }: Scripts,
): Promise<string> {
  const files = await readdir(join(dist, 'assets'));
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(file, await brotliBytes(join(dist, 'assets', file)));

  const first = [entry, ...imported];
  const sumOf = (names: readonly string[]) =>
    names.reduce((bytes, file) => bytes + (sizes.get(file) ?? 0), 0);
  const sum = sumOf(first);
  if (sum > LIMIT_KILO * KILO) {
    throw new Error(`The scripts for the first frame weigh ${kilo(sum)} kB, over ${LIMIT_KILO}.`);
  }
  const lines = files.map((file) => {
    const early = preview.includes(file) ? 'for preview' : 'when needed';
    const mark = first.includes(file) ? 'first frame' : early;
    return `  ${kilo(sizes.get(file) ?? 0)}  ${mark}  ${file}`;
  });
  const page = await brotliBytes(join(dist, 'page.html'));
  return [
    'viewer, kB brotli:',
    ...lines,
    `  ${kilo(page)}  first frame  page.html`,
    `  ${kilo(sum)}  script for the first frame, of ${GOAL_KILO}`,
    `  ${kilo(sum + sumOf(preview))}  with what reads a preview`,
  ].join('\n');
}

async function brotliBytes(path: string): Promise<number> {
  const bytes = await readFile(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  };
  return brotliCompressSync(bytes, { params }).byteLength;
}

function kilo(bytes: number): string {
  return (bytes / KILO).toFixed(1).padStart(6);
}
