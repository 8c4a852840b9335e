import { add, cross, normalize, subtract, type Vec2, type Vec3 } from './vector.ts';

/** A point of a surface. `tint` is linear and multiplies the material's colour. */
export interface Vertex {
  position: Vec3;
  normal: Vec3;
  uv: Vec2;
  tint: Vec3;
}

/** A triangle mesh; triangles are counter-clockwise seen from outside. */
export interface Shape {
  vertices: Vertex[];
  triangles: Vec3[];
}

/** What a parametric surface says of one of its points; uv defaults to the parameters, tint to white. */
export interface Sample {
  position: Vec3;
  uv?: Vec2;
  tint?: Vec3;
}

const WHITE: Vec3 = [1, 1, 1];

/** One of the items; it must exist. */
export function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no element ${index} of ${items.length}`);
  return item;
}

/**
 * A grid over u, v in [0, 1], smooth across its own seams and poles.
 *
 * The outside is where u runs to the right and v upwards.
 */
export function makePatch(
  columns: number,
  rows: number,
  surface: (u: number, v: number) => Sample,
): Shape {
  const vertices: Vertex[] = [];
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      const u = column / columns;
      const v = row / rows;
      const { position, uv = [u, v], tint = WHITE } = surface(u, v);
      vertices.push({ position, normal: [0, 1, 0], uv, tint });
    }
  }
  const triangles: Vec3[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const a = row * (columns + 1) + column;
      const c = a + columns + 1;
      triangles.push([a, a + 1, c + 1], [a, c + 1, c]);
    }
  }
  return smooth({ vertices, triangles: triangles.filter((abc) => isSolid(vertices, abc)) });
}

/** Joins shapes into one; nothing is welded. */
export function merge(shapes: readonly Shape[]): Shape {
  const vertices: Vertex[] = [];
  const triangles: Vec3[] = [];
  for (const shape of shapes) {
    const first = vertices.length;
    for (const vertex of shape.vertices) vertices.push(vertex);
    for (const [a, b, c] of shape.triangles) triangles.push([a + first, b + first, c + first]);
  }
  return { vertices, triangles };
}

/** The shape with each vertex written once: those a seam or a pole made alike become one. */
export function weld({ vertices, triangles }: Shape): Shape {
  const kept = new Map<string, number>();
  const unique: Vertex[] = [];
  const targets = vertices.map((vertex) => {
    const key = `${place(vertex.position)} ${place(vertex.normal)} ${place([...vertex.uv, 0])}`;
    const target = kept.get(key) ?? unique.push(vertex) - 1;
    kept.set(key, target);
    return target;
  });
  return {
    vertices: unique,
    triangles: triangles.map(([a, b, c]) => [at(targets, a), at(targets, b), at(targets, c)]),
  };
}

/** The shape with every position moved; normals are made anew. */
export function deform(shape: Shape, move: (position: Vec3) => Vec3): Shape {
  const vertices = shape.vertices.map((vertex) => ({ ...vertex, position: move(vertex.position) }));
  return smooth({ vertices, triangles: shape.triangles });
}

/** The three corners of a triangle. */
export function corners(vertices: readonly Vertex[], [a, b, c]: Vec3): [Vec3, Vec3, Vec3] {
  return [at(vertices, a).position, at(vertices, b).position, at(vertices, c).position];
}

/** A name that two points share when they are less than a micrometre or so apart. */
const place = (position: Vec3) => position.map((x) => Math.round(x * 1e6)).join();

function isSolid(vertices: readonly Vertex[], triangle: Vec3): boolean {
  return new Set(corners(vertices, triangle).map(place)).size === 3;
}

/** Normals weighted by area, so that flats stay flat beside narrow bevels. */
function smooth({ vertices, triangles }: Shape): Shape {
  const places = vertices.map((vertex) => place(vertex.position));
  const sums = new Map<string, Vec3>();
  for (const triangle of triangles) {
    const [a, b, c] = corners(vertices, triangle);
    const normal = cross(subtract(b, a), subtract(c, a));
    for (const index of triangle) {
      const key = at(places, index);
      sums.set(key, add(sums.get(key) ?? [0, 0, 0], normal));
    }
  }
  const normals = places.map((key) => normalize(sums.get(key) ?? [0, 1, 0]));
  return { vertices: vertices.map((v, i) => ({ ...v, normal: at(normals, i) })), triangles };
}
