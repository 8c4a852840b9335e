import type { ByteReader } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { sniffStepFile, validateStepFile } from '../../validation/step-file.ts';

/** Recognizes an IFC file: a STEP file with a schema of IFC. */
export function sniffIfc(head: FileHead): SniffEvidence | undefined {
  return sniffStepFile(head) === 'IFC' ? 'keyword' : undefined;
}

/** Validates an IFC file, which has the encoding of STEP. */
export function validateIfc(file: ByteReader, limits: ValidationLimits): Promise<void> {
  return validateStepFile(file, limits, 'IFC');
}
