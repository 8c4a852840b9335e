import { CUBE_FACES, cubeCorners } from './cube.ts';
import { cross, type Point, subtract } from './vector.ts';

/** Length of an edge, in the unit of the file. */
const SIZE = 10;

/** Creates a BREP (OpenCASCADE) of a solid cube at the origin. */
export function makeBrep(): Buffer {
  const corners = cubeCorners(SIZE);
  const curves: string[] = [];
  const surfaces: string[] = [];
  const shapes: string[] = [];
  // A shape comes after its parts. Shapes are numbered from the end of the file.
  const add = (kind: string, data: string, parts: readonly string[], flags = '0101000') =>
    shapes.push(
      `${kind}\n${data}\n${flags}\n${parts.length > 0 ? `${parts.join(' ')} *` : '*'}\n`,
    ) - 1;

  const vertices = corners.map((corner) =>
    add('Ve', `1e-07\n${corner.join(' ')}\n0 0\n`, [], '0101101'),
  );
  const edges = new Map<string, number>();
  const edgeOf = (from: number, to: number): string => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const key = `${first} ${last}`;
    const edge = edges.get(key) ?? addEdge(first, last);
    edges.set(key, edge);
    return toShapeReference(edge, from === first);
  };
  const addEdge = (first: number, last: number) => {
    const [start, end] = [corners[first] as Point, corners[last] as Point];
    curves.push(
      `1 ${start.join(' ')} ${subtract(end, start)
        .map((value) => value / SIZE)
        .join(' ')}`,
    );
    const parts = [
      toShapeReference(vertices[first] as number, true),
      toShapeReference(vertices[last] as number, false),
    ];
    return add('Ed', ` 1e-07 1 1 0\n1  ${curves.length} 0 0 ${SIZE}\n0\n`, parts);
  };
  const faces = CUBE_FACES.map((face) => {
    const loop = face.map((corner, index) => edgeOf(corner, face[(index + 1) % 4] as number));
    const wire = add('Wi', '', loop, '0101100');
    const [a, b, , d] = face.map((corner) => corners[corner] as Point) as [
      Point,
      Point,
      Point,
      Point,
    ];
    const [right, up] = [subtract(b, a), subtract(d, a)].map((side) =>
      side.map((value) => value / SIZE),
    ) as unknown as [Point, Point];
    surfaces.push(`1 ${[...a, ...cross(right, up), ...right, ...up].join(' ')}`);
    return add('Fa', `0  1e-07 ${surfaces.length} 0\n`, [toShapeReference(wire, true)], '0111000');
  });
  const shell = add(
    'Sh',
    '',
    faces.map((face) => toShapeReference(face, true)),
    '0101100',
  );
  add('So', '', [toShapeReference(shell, true)], '0100000');
  const count = shapes.length;
  // The numbers depend on the number of shapes, because the first shape has the highest number.
  const numbered = shapes
    .join('')
    .replace(/([+-])@(\d+)/g, (_, sign, index) => `${sign}${count - Number(index)}`);
  return Buffer.from(`DBRep_DrawableShape

CASCADE Topology V1, (c) Matra-Datavision
Locations 0
Curve2ds 0
Curves ${curves.length}
${curves.join(' \n')} 
Polygon3D 0
PolygonOnTriangulations 0
Surfaces ${surfaces.length}
${surfaces.join(' \n')} 
Triangulations 0

TShapes ${count}
${numbered}
+1 0 `);
}

function toShapeReference(shape: number, forward: boolean): string {
  return `${forward ? '+' : '-'}@${shape} 0`;
}
