import { readFile } from 'node:fs/promises';
import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import { assertFiniteScene } from '../mesh/assert-finite-scene.ts';
import type { ImportedModel } from '../mesh/imported-model.ts';
import { openModelArchive } from '../validation/zip/model-archive.ts';
import { type DetectedFormat, FORMATS, type ImportFormat } from './registry.ts';

const MAX_WARNINGS_PER_CODE = 20;
const MAX_ERROR_LENGTH = 200;

/**
 * Imports a model of any format, in meters and with Y up.
 *
 * Call it in the worker process only: import libraries process untrusted files.
 *
 * @throws {Problem} design.unreadable, with the library's message
 */
export async function importModel(
  path: string,
  detectedFormat: DetectedFormat,
): Promise<ImportedModel> {
  const importFormat = await FORMATS[detectedFormat.format].load();
  try {
    const { document, warnings } = await readModel(path, detectedFormat, importFormat);
    assertFiniteScene(document);
    return { document, warnings: limitWarnings(warnings) };
  } catch (cause) {
    // System errors are not caused by the design.
    if (cause instanceof Problem || (cause instanceof Error && 'syscall' in cause)) throw cause;
    const { name } = FORMATS[detectedFormat.format];
    const detail = `The ${name} could not be read: ${toErrorMessage(cause)}`;
    throw new Problem('design.unreadable', { detail, cause });
  }
}

async function readModel(
  path: string,
  { format, modelPath }: DetectedFormat,
  importFormat: ImportFormat,
): Promise<ImportedModel> {
  // A 3MF is itself an archive, and its importer reads the entries.
  const isPackage = FORMATS[format].archive === 'always';
  if (modelPath === undefined && !isPackage) return importFormat(await readFile(path));
  await using archive = await openModelArchive(path);
  const location = { archive, modelPath: modelPath ?? '' };
  return await importFormat(
    isPackage ? Buffer.alloc(0) : await archive.read(location.modelPath),
    location,
  );
}

/** Removes repeated messages, and all but the first of each code. */
function limitWarnings(warnings: readonly ProcessingWarning[]): ProcessingWarning[] {
  const distinct = [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
  return [...Map.groupBy(distinct, ({ code }) => code)].flatMap(([code, group]) => {
    const omittedCount = group.length - MAX_WARNINGS_PER_CODE;
    if (omittedCount <= 0) return group;
    const are = omittedCount === 1 ? 'is 1 more warning' : `are ${omittedCount} more warnings`;
    return [
      ...group.slice(0, MAX_WARNINGS_PER_CODE),
      { code, message: `There ${are} of this kind.` },
    ];
  });
}

/** The message of a value that a library threw. Some libraries throw numbers, which say nothing. */
function toErrorMessage(thrown: unknown): string {
  const message =
    thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : '';
  return toSingleLine(message, MAX_ERROR_LENGTH) || 'the import library gave no reason.';
}
