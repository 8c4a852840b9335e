import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem, type ProblemCode, problems } from '@cloche/contract/problem';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import { toGeometryFile, toTexturePackFile } from '../level-files.ts';
import { parseUntrustedJson } from '../validation/json-scanner.ts';
import { VALIDATION_LIMITS } from '../validation/limits.ts';
import {
  type VerifiedWorkerReport,
  type WorkerReport,
  workerRejectionValidator,
  workerReportValidator,
} from '../worker-report.ts';

const MAX_JSON_BYTES = 1024 * 1024;
const MAX_MESSAGE_LENGTH = 500;

/** The problem codes that a worker may use. */
const ALLOWED_CODES = ['design.unsupported', 'design.unreadable', 'design.too-complex'] as const;

/** Thrown if a worker wrote an invalid result. The message is for the log only. */
export class InvalidResultError extends Error {}

/**
 * Reads the report of a worker. Each file must be a regular file within its size limit, and the JSON
 * must match its schema exactly. The content of the models is validated later.
 *
 * @throws {InvalidResultError}
 */
export async function readWorkerReport(
  directory: string,
  maxBytes: number,
): Promise<VerifiedWorkerReport> {
  const report = await readJson(join(directory, 'out/report.json'));
  if (!workerReportValidator.Check(report))
    throw new InvalidResultError('report.json does not match its schema');
  const bytes = await getFileSizeBytes(join(directory, 'source'), Number.POSITIVE_INFINITY);
  const modelBytes = await getFileSizeBytes(join(directory, 'out/model.glb'), maxBytes);
  if (bytes === undefined || modelBytes === undefined)
    throw new InvalidResultError('model.glb is missing');
  // Checks the preview, which is optional.
  await getFileSizeBytes(join(directory, 'out/preview.glb'), maxBytes);
  for (const file of listLevelFiles(report)) {
    const bytes = await getFileSizeBytes(join(directory, 'out', file), maxBytes);
    if (bytes === undefined) throw new InvalidResultError(`${file} is missing`);
  }
  const warnings = report.warnings.map(({ code, message }) => ({
    code,
    message: toSingleLine(message, MAX_MESSAGE_LENGTH),
  }));
  return { ...report, before: { bytes, ...report.before }, warnings };
}

function listLevelFiles({ levels }: WorkerReport): string[] {
  if (levels === undefined) return [];
  const geometries = levels.geometries.map((_, index) => toGeometryFile(index));
  const packs = levels.texturePacks.map(({ size }) => toTexturePackFile(size));
  if (new Set(packs).size < packs.length)
    throw new InvalidResultError('two texture packs have the same size');
  return [...geometries, ...packs];
}

/**
 * Reads why a worker rejected the file.
 *
 * @throws {InvalidResultError}
 */
export async function readWorkerRejection(
  directory: string,
): Promise<{ code: ProblemCode; detail: string }> {
  const rejection = await readJson(join(directory, 'out/rejection.json'));
  if (!workerRejectionValidator.Check(rejection))
    throw new InvalidResultError('rejection.json does not match its schema');
  const code = ALLOWED_CODES.find((allowed) => allowed === rejection.code);
  if (code === undefined)
    throw new InvalidResultError('rejection.json has a code that a worker may not use');
  const detail = toSingleLine(rejection.detail, MAX_MESSAGE_LENGTH);
  return { code, detail: detail || problems[code].title };
}

async function readJson(path: string): Promise<unknown> {
  await using file = await openRegularFile(path, MAX_JSON_BYTES);
  if (file === undefined) throw new InvalidResultError(`${path} is missing`);
  try {
    return parseUntrustedJson(await file.readFile(), VALIDATION_LIMITS).value;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new InvalidResultError(`${path} is not JSON`, { cause: error });
  }
}

async function getFileSizeBytes(path: string, maxBytes: number): Promise<number | undefined> {
  await using file = await openRegularFile(path, maxBytes);
  return file && (await file.stat()).size;
}

/** Opens a file without following a symbolic link, and without waiting for the writer of a FIFO. */
async function openRegularFile(path: string, maxBytes: number): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw new InvalidResultError(`${path} is a link`);
    throw error;
  }
  const stats = await file.stat();
  if (stats.isFile() && stats.size <= maxBytes) return file;
  await file.close();
  throw new InvalidResultError(
    stats.isFile() ? `${path} has ${stats.size} bytes` : `${path} is not a regular file`,
  );
}
