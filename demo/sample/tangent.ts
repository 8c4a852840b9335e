import { at, type Shape } from './geometry.ts';
import { add, cross, dot, normalize, scale, subtract, type Vec2, type Vec3 } from './vector.ts';

/**
 * For every vertex the direction in which u grows, and as its fourth number on which side of it
 * and the normal the image's upper edge lies: what a normal map is read by.
 */
export function tangents({ vertices, triangles }: Shape): number[] {
  const along = vertices.map((): Vec3 => [0, 0, 0]);
  const upwards = vertices.map((): Vec3 => [0, 0, 0]);
  for (const triangle of triangles) {
    const [a, b, c] = [...triangle].map((index) => at(vertices, index));
    if (!a || !b || !c) continue;
    const [b1, c1] = [subtract(b.position, a.position), subtract(c.position, a.position)];
    const [b2, c2] = [difference(b.uv, a.uv), difference(c.uv, a.uv)];
    const turn = Math.sign(b2[0] * c2[1] - c2[0] * b2[1]);
    const u = scale(subtract(scale(b1, c2[1]), scale(c1, b2[1])), turn);
    const v = scale(subtract(scale(c1, b2[0]), scale(b1, c2[0])), turn);
    for (const index of triangle) {
      along[index] = add(at(along, index), u);
      upwards[index] = subtract(at(upwards, index), v);
    }
  }
  return vertices.flatMap(({ normal }, i) => {
    const tangent = at(along, i);
    const level = normalize(subtract(tangent, scale(normal, dot(normal, tangent))));
    return [...level, dot(cross(normal, level), at(upwards, i)) < 0 ? -1 : 1];
  });
}

const difference = (a: Vec2, b: Vec2): Vec2 => [a[0] - b[0], a[1] - b[1]];
