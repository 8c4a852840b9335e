import type { ByteReader } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import { isBinaryFbx } from './records.ts';
import { validateAsciiFbx } from './validate-ascii.ts';
import { validateBinaryFbx } from './validate-binary.ts';

/** Recognizes an FBX file, binary or ASCII. */
export function sniffFbx({ bytes, text }: FileHead): SniffEvidence | undefined {
  if (isBinaryFbx(bytes)) return 'signature';
  return /^\s*(; FBX|FBXHeaderExtension\s*:)/.test(text) ? 'keyword' : undefined;
}

/** Validates an FBX file, binary or ASCII. */
export async function validateFbx(
  file: ByteReader,
  limits: ValidationLimits,
  head: Buffer,
): Promise<ValidatedContent> {
  if (isBinaryFbx(head)) return validateBinaryFbx(file, limits);
  return validateAsciiFbx(file, limits);
}
