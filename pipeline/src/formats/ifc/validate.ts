import type { ByteReader } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { sniffStepFile, validateStepFile } from '../../validation/step-file.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import { ShapeGraph } from './shape-graph.ts';

/** Recognizes an IFC file: a STEP file with a schema of IFC. */
export function sniffIfc(head: FileHead): SniffEvidence | undefined {
  return sniffStepFile(head) === 'IFC' ? 'keyword' : undefined;
}

/** By `npm run bench:processing-time`: a shape, and each part of a boolean operation, takes as long as so many bytes of triangles. */
const BYTES_PER_SHAPE = 4096;
const BYTES_PER_COMBINATION = 4096;
/** Most of the text is read without becoming a shape, and shapes are computed from few numbers. */
const DECODED_BYTES_PER_BYTE = 20;

/**
 * Validates an IFC file, which has the encoding of STEP, and computes what its shapes expand to.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateIfc(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ValidatedContent> {
  const graph = new ShapeGraph(limits);
  await validateStepFile(file, limits, { formatLabel: 'IFC', visitor: graph });
  const { shapes, combinations, outlineBytes } = graph.measure();
  const shapeBytes = BYTES_PER_SHAPE * shapes + BYTES_PER_COMBINATION * combinations;
  const textBytes = DECODED_BYTES_PER_BYTE * file.size;
  return { decodedBytes: textBytes + shapeBytes + outlineBytes };
}
