import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Format } from '../../src/pipeline/format.ts';
import { importModel } from '../../src/pipeline/import/import.ts';
import { describeModel, findBadNormals } from './describe.ts';

/** Puts bytes into a file and imports it; tells what came out. */
export async function importFile(bytes: Buffer, format: Format, main?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-import-'));
  try {
    const path = join(folder, 'in');
    await writeFile(path, bytes);
    const examined = main === undefined ? { format } : { format, main };
    const { document, warnings } = await importModel(path, examined);
    const codes = warnings.map(({ code }) => code);
    return {
      document,
      warnings,
      codes,
      model: describeModel(document),
      badNormals: findBadNormals(document),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
