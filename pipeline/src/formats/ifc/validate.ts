import type { ByteReader } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { validateStepFile } from '../../validation/step-file.ts';

/** Validates an IFC file, which has the encoding of STEP. */
export function validateIfc(file: ByteReader, limits: ValidationLimits): Promise<void> {
  return validateStepFile(file, limits, 'IFC');
}
