import { formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { visitLines } from '../../validation/lines.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

const SECTION_HEADER =
  /^(Locations|Curve2ds|Curves|Polygon3D|PolygonOnTriangulations|Surfaces|Triangulations|TShapes) +(-?\d+)\s*$/;
const LAST_SECTION = 'TShapes';
/** Matches the reference to the root shape, such as `+1 0`, after the last section. */
const ROOT_SHAPE = /^[+-]\d+ \d+\s*$/;

/** Recognizes a BREP in text form. */
export function sniffBrep({ text }: FileHead): SniffEvidence | undefined {
  return /^\s*(DBRep_DrawableShape|CASCADE Topology V\d)/.test(text) ? 'keyword' : undefined;
}

/** Validates a BREP file: its sections, and that the file is long enough for their counts. */
export async function validateBrep(file: ByteReader, limits: ValidationLimits): Promise<void> {
  let isInLastSection = false;
  let hasRootShape = false;
  await visitLines(readBlocks(file), limits, (line, lineNumber) => {
    const [, name, count] = SECTION_HEADER.exec(line) ?? [];
    if (name !== undefined) {
      isInLastSection ||= name === LAST_SECTION;
      validateCount(name, Number(count), { lineNumber, fileBytes: file.size });
    }
    if (isInLastSection && ROOT_SHAPE.test(line)) hasRootShape = true;
  });
  if (!hasRootShape)
    throwUnreadable('truncated', 'The BREP file is cut off: the root shape at its end is missing');
}

/** Refuses a negative count, and one that does not fit: an item is at least a digit and a line end. */
function validateCount(
  name: string,
  count: number,
  { lineNumber, fileBytes }: { lineNumber: number; fileBytes: number },
): void {
  if (count >= 0 && 2 * count <= fileBytes) return;
  throwUnreadable(
    'count',
    `Line ${lineNumber} of the BREP file declares ${formatNumber(count)} ${name}, more than fit in the file`,
  );
}
