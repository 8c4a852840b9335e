import { readFile } from 'node:fs/promises';
import { Problem } from '@cloche/contract/problem';
import type { Document } from '@gltf-transform/core';
import { type Examined, FORMATS } from '../format.ts';
import { openIo } from '../io.ts';
import type { Warning } from '../report.ts';

/**
 * Reads a file that `examine` let through, as a glTF document in metres, Y up.
 *
 * For the child process only.
 */
export async function importModel(
  path: string,
  { format }: Examined,
): Promise<{ document: Document; warnings: Warning[] }> {
  if (format !== 'glb') {
    throw new Problem('design.unsupported', { detail: `${FORMATS[format].name} is not read yet.` });
  }
  const io = await openIo();
  return { document: await io.readBinary(new Uint8Array(await readFile(path))), warnings: [] };
}
