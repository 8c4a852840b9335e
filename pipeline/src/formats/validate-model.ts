import type { ModelStats } from '@cloche/contract/model-stats';
import { Problem } from '@cloche/contract/problem';
import {
  assertWithinLimit,
  VALIDATION_LIMITS,
  type ValidationLimits,
} from '../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../validation/byte-reader.ts';
import { parseUntrustedJson } from '../validation/json-scanner.ts';
import { throwUnreadable } from '../validation/unreadable.ts';
import { validateBrep } from './brep/validate.ts';
import { validateDae } from './dae/validate.ts';
import { validateFbx } from './fbx/validate.ts';
import { validateGlb } from './gltf/validate.ts';
import { validateGltfDocument } from './gltf/validation/validate-document.ts';
import { validateIfc } from './ifc/validate.ts';
import { validateIges } from './iges/validate.ts';
import { validateObj } from './obj/validate.ts';
import { validatePly } from './ply/validate.ts';
import { type DetectedFormat, FORMATS, type Format } from './registry.ts';
import { type SniffResult, sniff } from './sniff.ts';
import { validateStep } from './step/validate.ts';
import { validateStl } from './stl/validate.ts';
import { validateZip } from './zip/validate.ts';

/** What is known of a file before anything opens it; `stats` of what is glTF already. */
export type ValidationResult = { detectedFormat: DetectedFormat; stats?: ModelStats };

type ValidateFormat = (
  file: ByteReader,
  limits: ValidationLimits,
  head: Buffer,
) => Promise<ModelStats | undefined>;

/** One format, whatever its name and its type say. An archive is told by what is in it. */
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

/** Enough to tell every format. */
const SNIFF_BYTES = 64 * 1024;

/**
 * Tells a file's format by its bytes, and checks it before any library sees them.
 *
 * Time is linear in the size of the file, unpacked. Memory is a block of 1 MiB, and where there is
 * JSON what that needs; a glTF in an archive is held while it is checked.
 *
 * @throws {Problem} design.unsupported: another format; design.unreadable: damaged, `detail` saying
 *   where; design.too-complex: it would decode to more than `limits`
 */
export async function validateModel(
  file: ByteReader,
  limits: ValidationLimits = VALIDATION_LIMITS,
): Promise<ValidationResult> {
  if (file.size === 0) throwUnreadable('empty', 'The file is empty');
  const head = await file.read(0, Math.min(file.size, SNIFF_BYTES));
  const look = sniff(head, file.size);
  if (look.kind === 'zip') return validateZip(file, limits);
  if (!Object.hasOwn(VALIDATORS, look.kind)) return throwUnsupportedFormat(look);
  const format = look.kind as keyof typeof VALIDATORS;
  const stats = await VALIDATORS[format](file, limits, head);
  return { detectedFormat: { format }, ...(stats && { stats }) };
}

/** A check that counts nothing: the model is counted when it has become a glTF. */
function withoutStats(
  check: (...ask: Parameters<ValidateFormat>) => Promise<void>,
): ValidateFormat {
  return async (...ask) => void (await check(...ask));
}

async function validateGltf(file: ByteReader, limits: ValidationLimits): Promise<ModelStats> {
  assertWithinLimit('gltfBytes', file.size, limits);
  const json = parseUntrustedJson(await file.read(0, file.size), limits);
  return validateGltfDocument({ json, totalBytes: file.size }, limits);
}

function throwUnsupportedFormat({ kind, label }: SniffResult): never {
  const names = Object.values(FORMATS).map((format) => format.name);
  throw new Problem('design.unsupported', {
    detail: `This looks like ${label}. Cloche reads ${names.join(', ')}, and zip archives of a glTF or an OBJ with its files.`,
    reason: kind,
  });
}
