import type { ModelStats } from '@cloche/contract/model-stats';
import { VALIDATION_LIMITS, type ValidationLimits } from '../../validation/budgets.ts';
import type { ByteReader } from '../../validation/byte-reader.ts';
import { parseUntrustedJson } from '../../validation/json-scanner.ts';
import { parseGlbContainer } from './validation/glb-container.ts';
import { validateGltfDocument } from './validation/validate-document.ts';

/**
 * Checks a GLB from its first byte to its last index before anything else opens it, and counts
 * what is in it.
 *
 * Time is linear in the size of the file; memory is what the JSON needs, and a block of 1 MiB.
 *
 * @throws {Problem} design.unsupported: the bytes are of another format;
 *   design.unreadable: damaged or not valid, `detail` saying where;
 *   design.too-complex: it would decode to more than `limits`
 */
export async function validateGlb(
  file: ByteReader,
  limits: ValidationLimits = VALIDATION_LIMITS,
): Promise<ModelStats> {
  const { json, bin } = await parseGlbContainer(file, limits);
  const text = await file.read(json.offset, json.length);
  return validateGltfDocument(
    { json: parseUntrustedJson(text, limits), totalBytes: file.size, glb: { file, bin } },
    limits,
  );
}
