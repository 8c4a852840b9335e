import { formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { visitLines } from '../../validation/lines.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

const SECTION_HEADER =
  /^(Locations|Curve2ds|Curves|Polygon3D|PolygonOnTriangulations|Surfaces|Triangulations|TShapes) +(-?\d+)\s*$/;
const LAST_SECTION = 'TShapes';

/** Checks the text of a BREP file: its sections, and that each has room for what it says. */
export async function validateBrep(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const found = new Set<string>();
  let isWhole = false;
  await visitLines(readBlocks(file), limits, (line, at) => {
    const [, name, count] = SECTION_HEADER.exec(line) ?? [];
    if (name !== undefined) {
      found.add(name);
      validateCount(name, Number(count), { at, bytes: file.size });
    }
    // The shape that all others belong to stands behind them: `+1 0`.
    if (found.has(LAST_SECTION) && /^[+-]\d+ \d+\s*$/.test(line)) isWhole = true;
  });
  if (!isWhole)
    throwUnreadable('truncated', 'The BREP file has no shape at its end: its end is missing');
}

/** Each thing takes a line of its own: a digit and the end. */
function validateCount(name: string, count: number, where: { at: number; bytes: number }): void {
  if (count >= 0 && 2 * count <= where.bytes) return;
  const says = `says that ${formatNumber(count)} ${name} follow`;
  throwUnreadable('count', `Line ${where.at} of the BREP file ${says}, more than it has room for`);
}
