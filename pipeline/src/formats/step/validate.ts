import { assertWithinLimit } from '../../validation/budgets.ts';
import type { ByteReader } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { validateReferences } from '../../validation/reference-expansion.ts';
import { sniffStepFile, validateStepFile } from '../../validation/step-file.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import { AssemblyGraph } from './assembly-graph.ts';

/** Recognizes a STEP file. */
export function sniffStep(head: FileHead): SniffEvidence | undefined {
  return sniffStepFile(head) === 'STEP' ? 'keyword' : undefined;
}

/** By `npm run bench:processing-time`: a part, and a face of a part, each time it is used, takes as long as so many bytes of triangles. */
const BYTES_PER_PART = 32 * 1024;
const BYTES_PER_FACE = 1024;

/**
 * Validates a STEP file, and computes what its assemblies expand to.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateStep(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ValidatedContent> {
  const graph = new AssemblyGraph();
  await validateStepFile(file, limits, { formatLabel: 'STEP', visitor: graph });
  const { parts, roots } = graph.resolve();
  const size = validateReferences(parts, roots, limits);
  assertWithinLimit('faces', size.triangleCount, limits);
  const partBytes = BYTES_PER_PART * size.nodeCount + BYTES_PER_FACE * size.triangleCount;
  return { decodedBytes: file.size + partBytes };
}
