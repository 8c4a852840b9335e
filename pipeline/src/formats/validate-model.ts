import type { ModelStats } from '@cloche/contract/model-stats';
import { Problem } from '@cloche/contract/problem';
import { type ByteReader, readBlocks } from '../validation/byte-reader.ts';
import { VALIDATION_LIMITS, type ValidationLimits } from '../validation/limits.ts';
import { throwUnreadable } from '../validation/unreadable.ts';
import { validateBrep } from './brep/validate.ts';
import { validateDae } from './dae/validate.ts';
import { validateFbx } from './fbx/validate.ts';
import { validateGlb, validateGltf } from './gltf/validate.ts';
import { validateIfc } from './ifc/validate.ts';
import { validateIges } from './iges/validate.ts';
import { validateObj } from './obj/validate.ts';
import { validatePly } from './ply/validate.ts';
import { type DetectedFormat, FORMATS, type Format } from './registry.ts';
import { type SniffResult, sniff } from './sniff.ts';
import { validateStep } from './step/validate.ts';
import { validateStl } from './stl/validate.ts';
import { validateZip } from './zip/validate.ts';

/** The result of a validation. Only glTF has `stats` at this point. */
export type ValidationResult = { detectedFormat: DetectedFormat; stats?: ModelStats };

type ValidateFormat = (
  file: ByteReader,
  limits: ValidationLimits,
  head: Buffer,
) => Promise<ModelStats | undefined>;

/** Validators by detected format. Zip archives and 3MF are validated by validateZip. */
const VALIDATORS: { readonly [format in Exclude<Format, '3mf'>]: ValidateFormat } = {
  glb: validateGlb,
  gltf: validateGltf,
  obj: withoutStats((file, limits) => validateObj(readBlocks(file), limits)),
  stl: withoutStats(validateStl),
  ply: withoutStats(validatePly),
  fbx: withoutStats(validateFbx),
  dae: withoutStats(validateDae),
  step: withoutStats(validateStep),
  ifc: withoutStats(validateIfc),
  iges: withoutStats(validateIges),
  brep: withoutStats(validateBrep),
};

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
  const sniffed = sniff(head, file.size);
  if (sniffed.kind === 'zip') return validateZip(file, limits);
  if (!Object.hasOwn(VALIDATORS, sniffed.kind)) return throwUnsupportedFormat(sniffed);
  const format = sniffed.kind as keyof typeof VALIDATORS;
  const stats = await VALIDATORS[format](file, limits, head);
  return { detectedFormat: { format }, ...(stats && { stats }) };
}

/** Adapts a validator that counts nothing. The model is counted after its conversion to glTF. */
function withoutStats(
  validate: (...args: Parameters<ValidateFormat>) => Promise<void>,
): ValidateFormat {
  return async (...args) => void (await validate(...args));
}

function throwUnsupportedFormat({ kind, label }: SniffResult): never {
  const names = Object.values(FORMATS).map((format) => format.name);
  throw new Problem('design.unsupported', {
    detail: `This looks like ${label}. Cloche supports ${names.join(', ')}, and zip archives of a glTF or an OBJ with its files.`,
    reason: kind,
  });
}
