import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '../../src/formats/import-model.ts';
import type { Format } from '../../src/formats/registry.ts';
import { describeModel, findBadNormals } from './describe-model.ts';

/** Writes bytes to a file, imports it as the worker does, and describes the result. */
export async function importFile(bytes: Buffer, format: Format, modelPath?: string) {
  const directory = await mkdtemp(join(tmpdir(), 'cloche-import-'));
  try {
    const path = join(directory, 'source');
    await writeFile(path, bytes);
    const detectedFormat = modelPath === undefined ? { format } : { format, modelPath };
    const { document, warnings } = await importModel(path, detectedFormat);
    return {
      document,
      warnings,
      codes: warnings.map(({ code }) => code),
      model: describeModel(document),
      badNormals: findBadNormals(document),
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}
