import type { Document, Material, mat4, Node, Primitive, Texture } from '@gltf-transform/core';
import type { Transform } from '@gltf-transform/extensions';
import { findDefaultScene } from '../model-counts.ts';
import { isTriangleList } from '../primitive-modes.ts';
import { listTextureBindings } from '../texture-bindings.ts';
import { listSkinMatrices, readSkinnedPositions, transformPoint } from '../world-positions.ts';

/** The triangles measured of each primitive. */
const MAX_TRIANGLES = 5000;
/** A twentieth of the surface may be stretched more: seams, and the ends of unwrapped parts. */
const STRETCHED_SHARE = 0.05;

/**
 * How densely textures cover the surface of a model, in texture coordinates per meter: an image of n pixels has n times as many
 * pixels on a meter.
 */
export type UvDensity = {
  /** Nearly all of the surface has at least this density. */
  uvPerMeter: number;
  /** The same for the surfaces of each texture. Those that cannot be measured are absent. */
  uvPerMeterOfTextures: ReadonlyMap<Texture, number>;
};

/** A surface in square meters, and the length of texture coordinates on a meter of it. */
type Surface = { area: number; uvPerMeter: number };

/**
 * Measures the default scene.
 *
 * @param textures only surfaces with one of these are measured
 * @returns undefined if no surface can be measured
 */
export function measureUvDensity(
  document: Document,
  textures: ReadonlySet<Texture>,
): UvDensity | undefined {
  const surfaces: Surface[] = [];
  const surfacesOfTextures = new Map([...textures].map((texture) => [texture, [] as Surface[]]));
  findDefaultScene(document)?.traverse((node) => {
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const measured = measureTextures(document, { primitive, node, textures });
      surfaces.push(...measured.slice(0, 1).map(({ surface }) => surface));
      for (const { texture, surface } of measured) surfacesOfTextures.get(texture)?.push(surface);
    }
  });
  const uvPerMeter = findLowestDensity(surfaces);
  if (uvPerMeter === undefined) return undefined;
  const densities = [...surfacesOfTextures].flatMap(([texture, ownSurfaces]) => {
    const density = findLowestDensity(ownSurfaces);
    return density === undefined ? [] : [[texture, density] as const];
  });
  return { uvPerMeter, uvPerMeterOfTextures: new Map(densities) };
}

/** The density that all but the most stretched surfaces have. */
function findLowestDensity(surfaces: readonly Surface[]): number | undefined {
  let remaining = STRETCHED_SHARE * surfaces.reduce((sum, { area }) => sum + area, 0);
  return surfaces
    .toSorted((a, b) => a.uvPerMeter - b.uvPerMeter)
    .find(({ area }) => {
      remaining -= area;
      return remaining < 0;
    })?.uvPerMeter;
}

type MeasuredPrimitive = { primitive: Primitive; node: Node; textures: ReadonlySet<Texture> };

/** The surface of a primitive for each of the textures, in the order of its material. */
function measureTextures(
  document: Document,
  { primitive, node, textures }: MeasuredPrimitive,
): { texture: Texture; surface: Surface }[] {
  const material = primitive.getMaterial();
  if (!material || !isTriangleList(primitive)) return [];
  const bindings = listCoordinates(document, material).filter(({ texture }) =>
    textures.has(texture),
  );
  const areas = new Map(
    [...new Set(bindings.map(({ texCoord }) => texCoord))].map((texCoord) => [
      texCoord,
      measureAreas(primitive, node, texCoord),
    ]),
  );
  return bindings.flatMap(({ texture, texCoord, scale }) => {
    const { area = 0, uvArea = 0 } = areas.get(texCoord) ?? {};
    const uvPerMeter = Math.sqrt(uvArea / area) * scale;
    if (!Number.isFinite(uvPerMeter) || uvPerMeter === 0) return [];
    return [{ texture, surface: { area, uvPerMeter } }];
  });
}

/** Estimates the area of a primitive in the scene, and in the space of texture coordinates. */
function measureAreas(
  primitive: Primitive,
  node: Node,
  texCoord: number,
): { area: number; uvArea: number } | undefined {
  const uvs = primitive.getAttribute(`TEXCOORD_${texCoord}`);
  const positions = primitive.getAttribute('POSITION');
  if (!uvs || !positions) return undefined;
  const indices = primitive.getIndices();
  const toPoint = createPointReader(primitive, node);
  const count = Math.floor((indices ?? positions).getCount() / 3);
  const step = Math.max(1, Math.ceil(count / MAX_TRIANGLES));
  let [area, uvArea] = [0, 0];
  for (let triangle = 0; triangle < count; triangle += step) {
    const corners = [0, 1, 2].map((corner) => {
      const index = indices?.getScalar(triangle * 3 + corner) ?? triangle * 3 + corner;
      return { point: toPoint(index), uv: uvs.getElement(index, []) };
    });
    const triangleArea = getArea(corners.map(({ point }) => point));
    // A vertex that no bone moves has no place.
    if (!Number.isFinite(triangleArea)) continue;
    area += triangleArea;
    uvArea += getArea(corners.map(({ uv }) => uv));
  }
  return { area: area * step, uvArea: uvArea * step };
}

/** The textures of a material, with their coordinates and the scale of these. */
function listCoordinates(
  document: Document,
  material: Material,
): { texture: Texture; texCoord: number; scale: number }[] {
  return listTextureBindings(document, material).map(({ texture, texCoord, info }) => {
    const transform = info.getExtension<Transform>('KHR_texture_transform');
    const [scaleU, scaleV] = transform?.getScale() ?? [1, 1];
    return { texture, texCoord, scale: Math.sqrt(Math.abs(scaleU * scaleV)) };
  });
}

/** Returns a function that reads where a vertex is in the scene. The node of a skinned mesh does not move it, its bones do. */
function createPointReader(primitive: Primitive, node: Node): (index: number) => ArrayLike<number> {
  const skinMatrices = listSkinMatrices(node);
  if (skinMatrices !== undefined) {
    const points = readSkinnedPositions(primitive, node, skinMatrices);
    return (index) => points.subarray(3 * index, 3 * index + 3);
  }
  const world: mat4 = node.getWorldMatrix();
  const position = primitive.getAttribute('POSITION');
  return (index) => transformPoint(world, position?.getElement(index, []) ?? [], 0);
}

/** The area of a triangle in two or three dimensions. */
function getArea(corners: readonly ArrayLike<number>[]): number {
  const [origin = [], ...others] = corners;
  const [a = [], b = []] = others.map((corner) =>
    Array.from(corner, (value, axis) => value - (origin[axis] ?? 0)),
  );
  const dot = (u: number[], v: number[]) =>
    u.reduce((sum, value, axis) => sum + value * (v[axis] ?? 0), 0);
  return Math.sqrt(Math.max(0, dot(a, a) * dot(b, b) - dot(a, b) ** 2)) / 2;
}
