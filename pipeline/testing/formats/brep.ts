import { CUBE_FACES, cubeCorners } from './cube.ts';

type Point = readonly [number, number, number];

/** A BREP of OpenCASCADE: a solid cube from the origin, of planes and straight edges. */
export function makeBrep({ size = 10 }: { size?: number } = {}): Buffer {
  const corners = cubeCorners(size);
  const curves: string[] = [];
  const surfaces: string[] = [];
  const shapes: string[] = [];
  // Shapes are numbered from the last one in the file, and each comes after its parts.
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
    const known = edges.get(key) ?? addEdge(first, last);
    edges.set(key, known);
    return toShapeReference(known, from === first);
  };
  const addEdge = (first: number, last: number) => {
    const [start, end] = [corners[first] as Point, corners[last] as Point];
    curves.push(
      `1 ${start.join(' ')} ${subtract(end, start)
        .map((value) => value / size)
        .join(' ')}`,
    );
    const parts = [
      toShapeReference(vertices[first] as number, true),
      toShapeReference(vertices[last] as number, false),
    ];
    return add('Ed', ` 1e-07 1 1 0\n1  ${curves.length} 0 0 ${size}\n0\n`, parts);
  };
  const faces = CUBE_FACES.map((face) => {
    const loop = face.map((corner, at) => edgeOf(corner, face[(at + 1) % 4] as number));
    const wire = add('Wi', '', loop, '0101100');
    const [a, b, , d] = face.map((at) => corners[at] as Point) as [Point, Point, Point, Point];
    const [right, up] = [subtract(b, a), subtract(d, a)].map((side) =>
      side.map((value) => value / size),
    ) as [number[], number[]];
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
  // Only now are the numbers known: the first shape has the highest.
  const numbered = shapes
    .join('')
    .replace(/([+-])@(\d+)/g, (_, sign, at) => `${sign}${count - Number(at)}`);
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

function subtract(a: Point, b: Point): Point {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross(
  [ax = 0, ay = 0, az = 0]: readonly number[],
  [bx = 0, by = 0, bz = 0]: readonly number[],
): number[] {
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}
