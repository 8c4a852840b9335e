import type { Document, Material, mat4, Node, Primitive, Texture } from '@gltf-transform/core';
import type { Transform } from '@gltf-transform/extensions';
import { findDefaultScene } from '../model-counts.ts';
import { isTriangleList } from '../primitive-modes.ts';
import { listTextureBindings } from '../texture-bindings.ts';

/** The triangles measured of each primitive. */
const MAX_TRIANGLES = 5000;
/** A twentieth of the surface may be stretched more: seams, and the ends of unwrapped parts. */
const STRETCHED_SHARE = 0.05;

/** A surface in square meters, and the length of texture coordinates on a meter of it. */
type Surface = { area: number; uvPerMeter: number };

/**
 * Measures how densely textures cover the surface of the default scene: an image of n pixels has n times as many
 * pixels on a meter. Nearly all of the surface has at least this density.
 *
 * @param textures only surfaces with one of these are measured
 * @returns texture coordinates per meter; undefined if no surface can be measured
 */
export function measureUvDensity(
  document: Document,
  textures: ReadonlySet<Texture>,
): number | undefined {
  const surfaces: Surface[] = [];
  findDefaultScene(document)?.traverse((node) => {
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const surface = measurePrimitive(document, { primitive, node, textures });
      if (surface !== undefined) surfaces.push(surface);
    }
  });
  surfaces.sort((a, b) => a.uvPerMeter - b.uvPerMeter);
  let remaining = STRETCHED_SHARE * surfaces.reduce((sum, { area }) => sum + area, 0);
  return surfaces.find(({ area }) => {
    remaining -= area;
    return remaining < 0;
  })?.uvPerMeter;
}

type MeasuredPrimitive = { primitive: Primitive; node: Node; textures: ReadonlySet<Texture> };

function measurePrimitive(
  document: Document,
  { primitive, node, textures }: MeasuredPrimitive,
): Surface | undefined {
  const material = primitive.getMaterial();
  const coordinates = material && findCoordinates(document, material, textures);
  const uvs = coordinates && primitive.getAttribute(`TEXCOORD_${coordinates.texCoord}`);
  const positions = primitive.getAttribute('POSITION');
  if (!uvs || !positions || !isTriangleList(primitive)) return undefined;
  const indices = primitive.getIndices();
  const world = node.getWorldMatrix();
  const count = Math.floor((indices ?? positions).getCount() / 3);
  const step = Math.max(1, Math.ceil(count / MAX_TRIANGLES));
  let [area, uvArea] = [0, 0];
  for (let triangle = 0; triangle < count; triangle += step) {
    const corners = [0, 1, 2].map((corner) => {
      const index = indices?.getScalar(triangle * 3 + corner) ?? triangle * 3 + corner;
      return {
        point: toWorld(world, positions.getElement(index, [])),
        uv: uvs.getElement(index, []),
      };
    });
    area += getArea(corners.map(({ point }) => point));
    uvArea += getArea(corners.map(({ uv }) => uv));
  }
  const uvPerMeter = Math.sqrt(uvArea / area) * coordinates.scale;
  if (!Number.isFinite(uvPerMeter) || uvPerMeter === 0) return undefined;
  return { area: area * step, uvPerMeter };
}

/** The texture coordinates of the first of the textures in a material, and their scale. */
function findCoordinates(
  document: Document,
  material: Material,
  textures: ReadonlySet<Texture>,
): { texCoord: number; scale: number } | undefined {
  const binding = listTextureBindings(document, material).find(({ texture }) =>
    textures.has(texture),
  );
  if (binding === undefined) return undefined;
  const transform = binding.info.getExtension<Transform>('KHR_texture_transform');
  const [scaleU, scaleV] = transform?.getScale() ?? [1, 1];
  return { texCoord: binding.texCoord, scale: Math.sqrt(Math.abs(scaleU * scaleV)) };
}

function toWorld(matrix: mat4, [x = 0, y = 0, z = 0]: number[]): number[] {
  return [0, 1, 2].map(
    (row) =>
      (matrix[row] ?? 0) * x +
      (matrix[row + 4] ?? 0) * y +
      (matrix[row + 8] ?? 0) * z +
      (matrix[row + 12] ?? 0),
  );
}

/** The area of a triangle in two or three dimensions. */
function getArea(corners: readonly number[][]): number {
  const [origin = [], ...others] = corners;
  const [a = [], b = []] = others.map((corner) =>
    corner.map((value, axis) => value - (origin[axis] ?? 0)),
  );
  const dot = (u: number[], v: number[]) =>
    u.reduce((sum, value, axis) => sum + value * (v[axis] ?? 0), 0);
  return Math.sqrt(Math.max(0, dot(a, a) * dot(b, b) - dot(a, b) ** 2)) / 2;
}
