import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem, type ProblemCode, problems } from '@cloche/contract/problem';
import { parseJson } from '../../http/json.ts';
import { printable } from './printable.ts';
import { type ChildReport, refusal, told } from './report.ts';

const MAX_JSON_BYTES = 1024 * 1024;
const MAX_WORDS = 500;

/** What a child may say of a design. */
const SAYABLE = ['design.unsupported', 'design.unreadable', 'design.too-complex'] as const;

/** A result that is not what a child should leave; the message is for our log. */
export class BadResult extends Error {}

/**
 * Reads what a child did. Each file must be a regular one of a bounded size, the JSON exactly of
 * its schema; what is in the models is for the preflight to check.
 *
 * @throws {BadResult}
 */
export async function readReport(folder: string, maxBytes: number): Promise<ChildReport> {
  const report = await readJson(join(folder, 'out/report.json'));
  if (!told.Check(report)) throw new BadResult('report.json does not match its schema');
  const bytes = await sizeOf(join(folder, 'in'), Number.POSITIVE_INFINITY);
  const model = await sizeOf(join(folder, 'out/model.glb'), maxBytes);
  if (bytes === undefined || model === undefined) throw new BadResult('model.glb is missing');
  // There need not be one.
  await sizeOf(join(folder, 'out/preview.glb'), maxBytes);
  const warnings = report.warnings.map(({ code, message }) => ({
    code,
    message: printable(message, MAX_WORDS),
  }));
  return { ...report, before: { bytes, ...report.before }, warnings };
}

/**
 * Reads why a child refused the design.
 *
 * @throws {BadResult}
 */
export async function readRefusal(folder: string): Promise<{ code: ProblemCode; detail: string }> {
  const value = await readJson(join(folder, 'out/failure.json'));
  if (!refusal.Check(value)) throw new BadResult('failure.json does not match its schema');
  const code = SAYABLE.find((one) => one === value.code);
  if (code === undefined) throw new BadResult('failure.json says what no child may say');
  return { code, detail: printable(value.detail, MAX_WORDS) || problems[code].title };
}

async function readJson(path: string): Promise<unknown> {
  await using file = await openRegular(path, MAX_JSON_BYTES);
  if (file === undefined) throw new BadResult(`${path} is missing`);
  try {
    return parseJson(await file.readFile());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new BadResult(`${path} is not JSON`, { cause: error });
  }
}

async function sizeOf(path: string, maxBytes: number): Promise<number | undefined> {
  await using file = await openRegular(path, maxBytes);
  return file && (await file.stat()).size;
}

/** Opens without following a link, or waiting for whoever may be at the other end of a pipe. */
async function openRegular(path: string, maxBytes: number): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw new BadResult(`${path} is a link`);
    throw error;
  }
  const facts = await file.stat();
  if (facts.isFile() && facts.size <= maxBytes) return file;
  await file.close();
  throw new BadResult(`${path} is ${facts.isFile() ? `of ${facts.size} bytes` : 'no file'}`);
}
