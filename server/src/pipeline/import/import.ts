import { readFile } from 'node:fs/promises';
import { Problem } from '@cloche/contract/problem';
import { type Examined, FORMATS, type Format } from '../format.ts';
import type { Warning } from '../report.ts';
import { openArchive } from './archive.ts';
import type { Imported, Place } from './imported.ts';

type Importer = (bytes: Buffer, place?: Place) => Imported | Promise<Imported>;

/** Each is loaded when it is needed: the libraries behind some take a second and much memory. */
const IMPORTERS: { readonly [format in Format]: () => Promise<Importer> } = {
  glb: async () => (await import('./gltf.ts')).readGlb,
  gltf: async () => (await import('./gltf.ts')).readGltf,
  obj: async () => (await import('./obj.ts')).readObj,
  stl: async () => (await import('./stl.ts')).readStl,
  ply: async () => (await import('./ply.ts')).readPly,
  '3mf': async () => (await import('./3mf/3mf.ts')).read3mf,
  fbx: async () => (await import('./assimp/fbx.ts')).readFbx,
  dae: async () => (await import('./assimp/dae.ts')).readDae,
  step: async () => (await import('./cad.ts')).readStep,
  iges: async () => (await import('./cad.ts')).readIges,
  brep: async () => (await import('./cad.ts')).readBrep,
  ifc: async () => (await import('./ifc.ts')).readIfc,
};

/** How many times the same warning is worth saying. */
const MOST_WARNINGS = 20;
const MOST_LETTERS = 200;

/**
 * Reads a model of any format into metres with Y up.
 *
 * For the child process only: the libraries behind it see the bytes of strangers.
 *
 * @throws {Problem} design.unreadable, with what the library said
 */
export async function importModel(path: string, examined: Examined): Promise<Imported> {
  const read = await IMPORTERS[examined.format]();
  try {
    const { document, warnings } = await readAll(path, examined, read);
    return { document, warnings: fewer(warnings) };
  } catch (cause) {
    // A file of ours that cannot be read is no fault of the design's.
    if (cause instanceof Problem || (cause instanceof Error && 'syscall' in cause)) throw cause;
    const { name } = FORMATS[examined.format];
    const detail = `The ${name} could not be read: ${wordsOf(cause)}`;
    throw new Problem('design.unreadable', { detail, cause });
  }
}

async function readAll(
  path: string,
  { format, main }: Examined,
  read: Importer,
): Promise<Imported> {
  // A 3MF is an archive of its own kind: its reader opens it.
  if (main === undefined && format !== '3mf') return read(await readFile(path));
  await using archive = await openArchive(path);
  const place = { archive, main: main ?? '' };
  return await read(format === '3mf' ? Buffer.alloc(0) : await archive.read(place.main), place);
}

/** The first of each message, and of each code no more than a person would read. */
function fewer(warnings: readonly Warning[]): Warning[] {
  const different = [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
  return [...Map.groupBy(different, ({ code }) => code)].flatMap(([code, all]) => {
    const rest = all.length - MOST_WARNINGS;
    const more = { code, message: `And ${rest} more of that kind.` };
    return rest > 0 ? [...all.slice(0, MOST_WARNINGS), more] : all;
  });
}

/** What a library threw, fit to be shown. Some throw numbers, which say nothing. */
function wordsOf(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : '';
  const clean = said.replace(/[\p{C}\p{Z}]+/gu, ' ').trim() || 'the library that reads it gave up.';
  return clean.length > MOST_LETTERS ? `${clean.slice(0, MOST_LETTERS - 1)}…` : clean;
}
