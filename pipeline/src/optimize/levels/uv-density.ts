import type {
  Document,
  Material,
  mat4,
  Node,
  Primitive,
  Texture,
  vec3,
} from '@gltf-transform/core';
import type { InstancedMesh, Transform } from '@gltf-transform/extensions';
import { findDefaultScene } from '../model-counts.ts';
import { isTriangleList, listPrimitiveMaterials } from '../primitive-modes.ts';
import { listTextureBindings } from '../texture-bindings.ts';
import { listSkinMatrices, readSkinnedPositions, transformPoint } from '../world-positions.ts';

/** The triangles measured of each primitive, and the instances of each node. */
const [MAX_TRIANGLES, MAX_INSTANCES] = [5000, 1000];
/** A twentieth of the surface may be stretched more: seams, and the ends of unwrapped parts. */
const STRETCHED_SHARE = 0.05;

/**
 * How densely textures cover the surface of a model, in texture coordinates per meter: an image of n pixels has n times as many
 * pixels on a meter.
 */
export type UvDensity = {
  /** Nearly all of the surface has at least this density: on average of each primitive, and with its sparsest texture. */
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
      const scales = listInstanceScales(node);
      const addInstances = (target: Surface[], { area, uvPerMeter }: Surface) => {
        for (const { scale, count } of scales)
          target.push({ area: count * area * scale ** 2, uvPerMeter: uvPerMeter / scale });
      };
      const [lowest] = measured.toSorted((a, b) => a.surface.uvPerMeter - b.surface.uvPerMeter);
      if (lowest) addInstances(surfaces, lowest.surface);
      for (const { texture, surface } of measured)
        addInstances(surfacesOfTextures.get(texture) ?? [], surface);
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

/** The surface of a primitive for each of the textures of its materials, those of variants included. */
function measureTextures(
  document: Document,
  { primitive, node, textures }: MeasuredPrimitive,
): { texture: Texture; surface: Surface }[] {
  if (!isTriangleList(primitive)) return [];
  const bindings = listPrimitiveMaterials(primitive)
    .flatMap((material) => listCoordinates(document, material))
    .filter(({ texture }) => textures.has(texture));
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

/** Estimates the area of a primitive in the scene, without its instances, and in the space of texture coordinates. */
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
  const toIndex = (corner: number) => indices?.getScalar(corner) ?? corner;
  const toUv = (index: number): number[] => uvs.getElement(index, []);
  for (let triangle = 0; triangle < count; triangle += step) {
    const first = 3 * triangle;
    const [a, b, c] = [toIndex(first), toIndex(first + 1), toIndex(first + 2)];
    const triangleArea = getArea(toPoint(a), toPoint(b), toPoint(c));
    // A vertex that no bone moves has no place.
    if (!Number.isFinite(triangleArea)) continue;
    area += triangleArea;
    uvArea += getArea(toUv(a), toUv(b), toUv(c));
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

/** The scales of the instances of a node, or of some of many; each stands for `count` instances. */
function listInstanceScales(node: Node): { scale: number; count: number }[] {
  const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  if (instancedMesh === null) return [{ scale: 1, count: 1 }];
  const scales = instancedMesh.getAttribute('SCALE');
  const total = instancedMesh.listAttributes()[0]?.getCount() ?? 0;
  if (scales === null) return [{ scale: 1, count: total }];
  const step = Math.max(1, Math.ceil(total / MAX_INSTANCES));
  const measured = Array.from({ length: Math.ceil(total / step) }, (_, index) => {
    const [x = 1, y = 1, z = 1] = scales.getElement(index * step, []);
    return { scale: Math.cbrt(Math.abs(x * y * z)), count: step };
  });
  return measured.filter(({ scale }) => scale > 0);
}

/** The area of a triangle in two or three dimensions: half the length of the cross product of two of its sides. */
function getArea(a: ArrayLike<number>, b: ArrayLike<number>, c: ArrayLike<number>): number {
  const [x1, y1, z1] = subtract(b, a);
  const [x2, y2, z2] = subtract(c, a);
  const [x, y, z] = [y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2];
  return Math.sqrt(x * x + y * y + z * z) / 2;
}

function subtract(a: ArrayLike<number>, b: ArrayLike<number>): vec3 {
  const subtractAxis = (axis: number) => (a[axis] ?? 0) - (b[axis] ?? 0);
  return [subtractAxis(0), subtractAxis(1), subtractAxis(2)];
}
