import type { ByteReader } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { validateStepFile } from '../../validation/step-file.ts';

/** Validates a STEP file. */
export function validateStep(file: ByteReader, limits: ValidationLimits): Promise<void> {
  return validateStepFile(file, limits, 'STEP');
}
