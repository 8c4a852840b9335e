import { InstallationError } from './installation-error.ts';
import { COPIED_TABLES } from './tables.ts';

/** The name of the file in the folder of a backup. It is written last: without it, the backup is not complete. */
export const MANIFEST_FILE = 'manifest.json';

/** The most bytes of a manifest. */
export const MAX_MANIFEST_BYTES = 256 * 1024;

const FORMAT = 1;

/** What a backup contains. */
export type Manifest = {
  format: typeof FORMAT;
  /** The version of the program that made the backup. */
  version: string;
  /** The migrations of the database. */
  migrations: string[];
  createdAt: string;
  /** The kind of the installation. The rows are always in a SQLite file, and the blobs in files. */
  kind: { database: 'sqlite' | 'postgres'; files: 'folder' | 's3' };
  /** The file `rows-<sha256>.sqlite`. */
  database: { sha256: string; sizeBytes: number };
  /** The number of rows of each table. */
  rows: Record<string, number>;
  blobs: { count: number; bytes: number };
  /** The file `grant-<sha256>.key`. Null: the backup has none. */
  grantKeySha256: string | null;
};

/** Creates the manifest of a backup of this program. */
export function createManifest(content: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...content };
}

/** Parses a manifest, which anyone may have written. @throws {InstallationError} */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (!isRecord(value)) throw createManifestError('it is not complete JSON');
  if (value.format !== FORMAT)
    throw createManifestError(`its "format" is not ${FORMAT}: another program has made it`);
  for (const [name, isValid] of Object.entries(FIELDS)) {
    if (!isValid(value[name])) throw createManifestError(`its "${name}" is missing or not valid`);
  }
  const unknown = Object.keys(value).find((name) => name !== 'format' && !(name in FIELDS));
  if (unknown !== undefined) throw createManifestError(`it has an unknown field`);
  return value as Manifest;
}

const isSha256 = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** The checks of all fields but `format`. */
const FIELDS: Record<Exclude<keyof Manifest, 'format'>, (value: unknown) => boolean> = {
  version: (value) => typeof value === 'string' && /^\d+\.\d+\.\d+[\w.+-]{0,30}$/.test(value),
  migrations: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === 'string' && /^[\w-]{1,100}$/.test(name)),
  createdAt: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  kind: (value) =>
    hasFields(value, {
      database: (name) => name === 'sqlite' || name === 'postgres',
      files: (name) => name === 'folder' || name === 's3',
    }),
  database: (value) => hasFields(value, { sha256: isSha256, sizeBytes: isCount }),
  rows: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, count]) => COPIED_TABLES.has(name) && isCount(count)),
  blobs: (value) => hasFields(value, { count: isCount, bytes: isCount }),
  grantKeySha256: (value) => value === null || isSha256(value),
};

function hasFields(value: unknown, fields: Record<string, (value: unknown) => boolean>): boolean {
  return (
    isRecord(value) &&
    Object.keys(value).length === Object.keys(fields).length &&
    Object.entries(fields).every(([name, isValid]) => isValid(value[name]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function createManifestError(reason: string): InstallationError {
  return new InstallationError(`The file ${MANIFEST_FILE} of the backup is not valid: ${reason}.`);
}
