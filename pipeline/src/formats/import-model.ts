import { readFile } from 'node:fs/promises';
import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { ImportedModel, ModelLocation } from '../mesh/imported-model.ts';
import { openModelArchive } from '../validation/zip/model-archive.ts';
import { type DetectedFormat, FORMATS, type Format } from './registry.ts';

type ImportFormat = (
  bytes: Buffer,
  place?: ModelLocation,
) => ImportedModel | Promise<ImportedModel>;

/** Each is loaded when it is needed: the libraries behind some take a second and much memory. */
const IMPORTERS: { readonly [format in Format]: () => Promise<ImportFormat> } = {
  glb: async () => (await import('./gltf/import.ts')).importGlb,
  gltf: async () => (await import('./gltf/import.ts')).importGltf,
  obj: async () => (await import('./obj/import.ts')).importObj,
  stl: async () => (await import('./stl/import.ts')).importStl,
  ply: async () => (await import('./ply/import.ts')).importPly,
  '3mf': async () => (await import('./3mf/import.ts')).import3mf,
  fbx: async () => (await import('./fbx/import.ts')).importFbx,
  dae: async () => (await import('./dae/import.ts')).importDae,
  step: async () => (await import('./step/import.ts')).importStep,
  iges: async () => (await import('./iges/import.ts')).importIges,
  brep: async () => (await import('./brep/import.ts')).importBrep,
  ifc: async () => (await import('./ifc/import.ts')).importIfc,
};

/** How many times the same warning is worth saying. */
const MAX_WARNINGS_PER_CODE = 20;
const MAX_ERROR_LENGTH = 200;

/**
 * Reads a model of any format into metres with Y up.
 *
 * For the child process only: the libraries behind it see the bytes of strangers.
 *
 * @throws {Problem} design.unreadable, with what the library said
 */
export async function importModel(
  path: string,
  detectedFormat: DetectedFormat,
): Promise<ImportedModel> {
  const read = await IMPORTERS[detectedFormat.format]();
  try {
    const { document, warnings } = await readModel(path, detectedFormat, read);
    return { document, warnings: limitWarnings(warnings) };
  } catch (cause) {
    // A file of ours that cannot be read is no fault of the design's.
    if (cause instanceof Problem || (cause instanceof Error && 'syscall' in cause)) throw cause;
    const { name } = FORMATS[detectedFormat.format];
    const detail = `The ${name} could not be read: ${toErrorMessage(cause)}`;
    throw new Problem('design.unreadable', { detail, cause });
  }
}

async function readModel(
  path: string,
  { format, modelPath }: DetectedFormat,
  read: ImportFormat,
): Promise<ImportedModel> {
  // A 3MF is an archive of its own kind: its reader opens it.
  if (modelPath === undefined && format !== '3mf') return read(await readFile(path));
  await using archive = await openModelArchive(path);
  const place = { archive, modelPath: modelPath ?? '' };
  return await read(
    format === '3mf' ? Buffer.alloc(0) : await archive.read(place.modelPath),
    place,
  );
}

/** The first of each message, and of each code no more than a person would read. */
function limitWarnings(warnings: readonly ProcessingWarning[]): ProcessingWarning[] {
  const different = [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
  return [...Map.groupBy(different, ({ code }) => code)].flatMap(([code, all]) => {
    const rest = all.length - MAX_WARNINGS_PER_CODE;
    const more = { code, message: `And ${rest} more of that kind.` };
    return rest > 0 ? [...all.slice(0, MAX_WARNINGS_PER_CODE), more] : all;
  });
}

/** What a library threw, fit to be shown. Some throw numbers, which say nothing. */
function toErrorMessage(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : '';
  const clean = said.replace(/[\p{C}\p{Z}]+/gu, ' ').trim() || 'the library that reads it gave up.';
  return clean.length > MAX_ERROR_LENGTH ? `${clean.slice(0, MAX_ERROR_LENGTH - 1)}…` : clean;
}
