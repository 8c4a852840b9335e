import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { visitLines, withoutComment } from '../../validation/lines.ts';
import { PolygonCounter } from '../../validation/triangulation-cost.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import {
  getMinimumVertexLength,
  hasOffKeyword,
  MAX_OFF_HEADER_BYTES,
  type OffHeader,
  parseOffHeader,
} from './header.ts';

/** A face without corners: a digit and a line break. */
const MIN_FACE_BYTES = 2;

/** Recognizes an OFF by its keyword. */
export function sniffOff({ text }: FileHead): SniffEvidence | undefined {
  return hasOffKeyword(text) ? 'keyword' : undefined;
}

/**
 * Validates an OFF: all rows that the header claims exist, numbers are finite, and faces refer to
 * existing vertices. Each vertex and each face has a line of its own, as all known programs write.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex
 */
export async function validateOff(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ValidatedContent> {
  const header = parseOffHeader(await file.read(0, Math.min(MAX_OFF_HEADER_BYTES, file.size)));
  assertRowsFit(header, file.size);
  assertWithinLimit('vertices', header.vertexCount, limits);
  let vertexCount = 0;
  let faceCount = 0;
  const polygons = new PolygonCounter(limits, 'earcut');
  const range = { offset: header.dataOffset, length: file.size - header.dataOffset };
  await visitLines(readBlocks(file, range), limits, (line, lineNumber) => {
    const numbers = parseNumbers(line);
    if (numbers.length === 0) return;
    const row: OffRow = { numbers, lineNumber: header.lineCount + lineNumber };
    if (vertexCount < header.vertexCount) {
      validateVertex(row, header);
      vertexCount++;
    } else if (faceCount < header.faceCount) {
      polygons.add(validateFace(row, header));
      faceCount++;
    }
  });
  if (vertexCount === header.vertexCount && faceCount === header.faceCount)
    return { decodedBytes: file.size + polygons.triangulationBytes };
  const found = formatCounts({ vertexCount, faceCount });
  throwUnreadable(
    'truncated',
    `The header of the OFF claims ${formatCounts(header)}, but the file ends after ${found}`,
  );
}

type OffRow = { numbers: readonly number[]; lineNumber: number };

function parseNumbers(line: string): number[] {
  const text = withoutComment(line).trim();
  return text === '' ? [] : text.split(/\s+/).map(Number);
}

function assertRowsFit(header: OffHeader, fileBytes: number): void {
  const { vertexCount, faceCount, dataOffset } = header;
  if (vertexCount === 0) throwUnreadable('empty', 'The OFF has no vertices');
  // Each number takes a digit and a space or a line break. The last line break may be missing.
  const minimumBytes =
    2 * getMinimumVertexLength(header) * vertexCount + MIN_FACE_BYTES * faceCount - 1;
  if (minimumBytes <= fileBytes - dataOffset) return;
  throwUnreadable(
    'count',
    `The header of the OFF claims ${formatCounts(header)}, more than fit in the file`,
  );
}

function validateVertex({ numbers, lineNumber }: OffRow, header: OffHeader): void {
  const minimumLength = getMinimumVertexLength(header);
  if (numbers.length < minimumLength) {
    throwInvalidLine(
      lineNumber,
      'count',
      `has ${numbers.length} numbers, but each vertex needs ${minimumLength}`,
    );
  }
  assertFinite(numbers, lineNumber);
}

/** Returns the number of corners of the face. */
function validateFace({ numbers, lineNumber }: OffRow, { vertexCount }: OffHeader): number {
  assertFinite(numbers, lineNumber);
  const [length = -1] = numbers;
  if (!(Number.isInteger(length) && length >= 0 && length < numbers.length)) {
    throwInvalidLine(
      lineNumber,
      'count',
      `claims a face of ${formatNumber(length)} corners, but has ${numbers.length - 1} more numbers`,
    );
  }
  for (let corner = 1; corner <= length; corner++) {
    const index = numbers[corner] as number;
    if (Number.isInteger(index) && index >= 0 && index < vertexCount) continue;
    throwInvalidLine(
      lineNumber,
      'index',
      `refers to vertex ${index}, but there are ${formatNumber(vertexCount)}`,
    );
  }
  return length;
}

/** Coordinates are stored as 32-bit floats. */
function assertFinite(numbers: readonly number[], lineNumber: number): void {
  if (numbers.every((number) => Number.isFinite(Math.fround(number)))) return;
  throwInvalidLine(lineNumber, 'not-finite', 'has a value that is not a finite number');
}

function throwInvalidLine(lineNumber: number, reason: string, complaint: string): never {
  throwUnreadable(reason, `Line ${lineNumber} of the OFF ${complaint}`);
}

function formatCounts({
  vertexCount,
  faceCount,
}: Pick<OffHeader, 'vertexCount' | 'faceCount'>): string {
  return `${formatNumber(vertexCount)} vertices and ${formatNumber(faceCount)} faces`;
}
