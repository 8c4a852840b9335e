import { damaged } from '../damaged.ts';
import { grouped, type Limits } from '../limits.ts';
import { blocksOf, type Source } from '../source.ts';
import { eachLine } from './lines.ts';

const SECTION =
  /^(Locations|Curve2ds|Curves|Polygon3D|PolygonOnTriangulations|Surfaces|Triangulations|TShapes) +(-?\d+)\s*$/;
const LAST = 'TShapes';

/** Checks the text of a BREP file: its sections, and that each has room for what it says. */
export async function checkBrep(file: Source, limits: Limits): Promise<void> {
  const found = new Set<string>();
  let isWhole = false;
  await eachLine(blocksOf(file), limits, (line, at) => {
    const [, name, count] = SECTION.exec(line) ?? [];
    if (name !== undefined) {
      found.add(name);
      checkCount(name, Number(count), { at, bytes: file.size });
    }
    // The shape that all others belong to stands behind them: `+1 0`.
    if (found.has(LAST) && /^[+-]\d+ \d+\s*$/.test(line)) isWhole = true;
  });
  if (!isWhole) damaged('truncated', 'The BREP file has no shape at its end: its end is missing');
}

/** Each thing takes a line of its own: a digit and the end. */
function checkCount(name: string, count: number, where: { at: number; bytes: number }): void {
  if (count >= 0 && 2 * count <= where.bytes) return;
  const says = `says that ${grouped(count)} ${name} follow`;
  damaged('count', `Line ${where.at} of the BREP file ${says}, more than it has room for`);
}
