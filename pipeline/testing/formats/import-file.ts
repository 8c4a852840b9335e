import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '../../src/formats/import-model.ts';
import type { Format } from '../../src/formats/registry.ts';
import { describeModel, findBadNormals } from './describe-model.ts';

/** Puts bytes into a file and imports it; tells what came out. */
export async function importFile(bytes: Buffer, format: Format, main?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-import-'));
  try {
    const path = join(folder, 'in');
    await writeFile(path, bytes);
    const detectedFormat = main === undefined ? { format } : { format, modelPath: main };
    const { document, warnings } = await importModel(path, detectedFormat);
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
