import { Problem } from '@cloche/contract/problem';
import type { ByteReader } from '../validation/byte-reader.ts';
import { createFileHead } from '../validation/file-head.ts';
import { VALIDATION_LIMITS, type ValidationLimits } from '../validation/limits.ts';
import { throwUnreadable } from '../validation/unreadable.ts';
import type { ValidatedContent } from '../validation/validated-content.ts';
import { type DetectedFormat, FORMATS, listFormats } from './registry.ts';
import { type SniffResult, sniff } from './sniff.ts';
import { validateZip } from './zip/validate.ts';

/** The result of a validation. */
export type ValidationResult = ValidatedContent & { detectedFormat: DetectedFormat };

const OR_LIST = new Intl.ListFormat('en', { type: 'disjunction' });

/** Bytes that are enough to detect every format. */
const SNIFF_BYTES = 64 * 1024;

/**
 * Detects the format of a file by its bytes, and validates it before any library processes it.
 *
 * Time is linear in the uncompressed size of the file. Memory is a block of 1 MiB and the JSON of a
 * glTF; a glTF in an archive is in memory completely.
 *
 * @throws {Problem} design.unsupported: another format; design.unreadable: damaged, `detail` says
 *   where; design.too-complex: it would decode to more than `limits` allow
 */
export async function validateModel(
  file: ByteReader,
  limits: ValidationLimits = VALIDATION_LIMITS,
): Promise<ValidationResult> {
  if (file.size === 0) throwUnreadable('empty', 'The file is empty');
  const head = await file.read(0, Math.min(file.size, SNIFF_BYTES));
  const sniffed = sniff(createFileHead(head, file.size));
  if (sniffed.kind === 'zip') return validateZip(file, limits);
  const { format } = sniffed;
  if (format === undefined) throwUnsupportedFormat(sniffed);
  const definition = FORMATS[format];
  if (definition.archive === 'always') throwUnsupportedFormat(sniffed);
  const content = await definition.validate(file, limits, head);
  return { detectedFormat: { format }, ...(content ?? { decodedBytes: file.size }) };
}

function throwUnsupportedFormat({ kind, label }: SniffResult): never {
  const names = listFormats().map(([, { name }]) => name);
  const packable = listFormats().filter(([, { archive }]) => archive === 'optional');
  const packableNames = OR_LIST.format(packable.map(([, { name }]) => name));
  const found =
    kind === 'unknown' ? 'The format of this file is unknown' : `This looks like ${label}`;
  throw new Problem('design.unsupported', {
    detail: `${found}. Cloche supports ${names.join(', ')}, and zip archives of a ${packableNames} with its files.`,
    reason: kind,
  });
}
