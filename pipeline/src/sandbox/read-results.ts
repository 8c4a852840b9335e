import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem, type ProblemCode, problems } from '@cloche/contract/problem';
import { VALIDATION_LIMITS } from '../validation/budgets.ts';
import { parseUntrustedJson } from '../validation/json-scanner.ts';
import { sanitizeText } from './sanitize-text.ts';
import {
  type VerifiedWorkerReport,
  workerRejectionValidator,
  workerReportValidator,
} from './worker-report.ts';

const MAX_JSON_BYTES = 1024 * 1024;
const MAX_MESSAGE_LENGTH = 500;

/** What a child may say of a design. */
const ALLOWED_CODES = ['design.unsupported', 'design.unreadable', 'design.too-complex'] as const;

/** A result that is not what a child should leave; the message is for our log. */
export class InvalidResultError extends Error {}

/**
 * Reads what a child did. Each file must be a regular one of a bounded size, the JSON exactly of
 * its schema; what is in the models is for the preflight to check.
 *
 * @throws {InvalidResultError}
 */
export async function readWorkerReport(
  folder: string,
  maxBytes: number,
): Promise<VerifiedWorkerReport> {
  const report = await readJson(join(folder, 'out/report.json'));
  if (!workerReportValidator.Check(report))
    throw new InvalidResultError('report.json does not match its schema');
  const bytes = await getFileSizeBytes(join(folder, 'in'), Number.POSITIVE_INFINITY);
  const model = await getFileSizeBytes(join(folder, 'out/model.glb'), maxBytes);
  if (bytes === undefined || model === undefined)
    throw new InvalidResultError('model.glb is missing');
  // There need not be one.
  await getFileSizeBytes(join(folder, 'out/preview.glb'), maxBytes);
  const warnings = report.warnings.map(({ code, message }) => ({
    code,
    message: sanitizeText(message, MAX_MESSAGE_LENGTH),
  }));
  return { ...report, before: { bytes, ...report.before }, warnings };
}

/**
 * Reads why a child refused the design.
 *
 * @throws {InvalidResultError}
 */
export async function readWorkerRejection(
  folder: string,
): Promise<{ code: ProblemCode; detail: string }> {
  const value = await readJson(join(folder, 'out/failure.json'));
  if (!workerRejectionValidator.Check(value))
    throw new InvalidResultError('failure.json does not match its schema');
  const code = ALLOWED_CODES.find((one) => one === value.code);
  if (code === undefined) throw new InvalidResultError('failure.json says what no child may say');
  return { code, detail: sanitizeText(value.detail, MAX_MESSAGE_LENGTH) || problems[code].title };
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

/** Opens without following a link, or waiting for whoever may be at the other end of a pipe. */
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
  const facts = await file.stat();
  if (facts.isFile() && facts.size <= maxBytes) return file;
  await file.close();
  throw new InvalidResultError(
    `${path} is ${facts.isFile() ? `of ${facts.size} bytes` : 'no file'}`,
  );
}
