import type { ByteReader } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { sniffStepFile, validateStepFile } from '../../validation/step-file.ts';

/** Recognizes a STEP file. */
export function sniffStep(head: FileHead): SniffEvidence | undefined {
  return sniffStepFile(head) === 'STEP' ? 'keyword' : undefined;
}

/** Validates a STEP file. */
export function validateStep(file: ByteReader, limits: ValidationLimits): Promise<void> {
  return validateStepFile(file, limits, { formatLabel: 'STEP' });
}
