import {
  type BufferGeometry,
  type Camera,
  InstancedMesh,
  type Intersection,
  Matrix4,
  Mesh,
  type Object3D,
  Raycaster,
  type SkinnedMesh,
  Vector2,
} from 'three';
import { TriangleChunks } from './triangle-chunks.ts';

/** A position in the frame: CSS pixels from its upper left corner. */
export type ScreenPoint = { x: number; y: number };

type CastRayOptions = {
  /** The size of the frame, CSS pixels. */
  frame: { width: number; height: number };
  camera: Camera;
  root: Object3D;
  /** How far from a line or a point a position may be, metres. */
  tolerance: number;
};

const chunksOfGeometries = new WeakMap<BufferGeometry, TriangleChunks>();

/**
 * Finds the point of the model that is visible at a position. Hidden objects are ignored. Undefined on the background and
 * outside the frame.
 */
export function castRay(
  { x, y }: ScreenPoint,
  { frame, camera, root, tolerance }: CastRayOptions,
): Intersection | undefined {
  if (!(x >= 0 && y >= 0 && x <= frame.width && y <= frame.height)) return undefined;
  const raycaster = new Raycaster();
  raycaster.params.Line = raycaster.params.Points = { threshold: tolerance };
  // The camera and the parts may have changed since the last frame.
  camera.updateMatrixWorld();
  root.updateMatrixWorld();
  raycaster.setFromCamera(
    new Vector2((x / frame.width) * 2 - 1, 1 - (y / frame.height) * 2),
    camera,
  );
  const hits: Intersection[] = [];
  root.traverseVisible((object) => {
    if (object.layers.test(raycaster.layers)) intersectObject(object, raycaster, hits);
  });
  return hits.reduce<Intersection | undefined>(
    (nearest, hit) => (nearest === undefined || hit.distance < nearest.distance ? hit : nearest),
    undefined,
  );
}

function intersectObject(object: Object3D, raycaster: Raycaster, hits: Intersection[]): void {
  const { isSkinnedMesh = false } = object as Partial<SkinnedMesh>;
  // three.js would use the sphere of an earlier pose.
  if (isSkinnedMesh) (object as SkinnedMesh).computeBoundingSphere();
  const { geometry } = object as Partial<Mesh>;
  const isStatic = object instanceof Mesh && !isSkinnedMesh;
  const hasMorphTargets = Object.keys(geometry?.morphAttributes ?? {}).length > 0;
  if (!isStatic || hasMorphTargets || !TriangleChunks.areUseful(object.geometry)) {
    object.raycast(raycaster, hits);
  } else if (object instanceof InstancedMesh) intersectInstances(object, raycaster, hits);
  else intersectChunks(object, raycaster, hits);
}

function intersectInstances(
  object: InstancedMesh,
  raycaster: Raycaster,
  hits: Intersection[],
): void {
  const instance = new Mesh(object.geometry, object.material);
  const matrix = new Matrix4();
  for (let instanceId = 0; instanceId < object.count; instanceId++) {
    object.getMatrixAt(instanceId, matrix);
    instance.matrixWorld.multiplyMatrices(object.matrixWorld, matrix);
    const instanceHits: Intersection[] = [];
    intersectChunks(instance, raycaster, instanceHits);
    for (const hit of instanceHits) hits.push(Object.assign(hit, { instanceId, object }));
  }
}

/** Lets three.js test only the chunks that the ray may hit. */
function intersectChunks(mesh: Mesh, raycaster: Raycaster, hits: Intersection[]): void {
  const { geometry, matrixWorld } = mesh;
  if (geometry.boundingSphere === null) geometry.computeBoundingSphere();
  const sphere = geometry.boundingSphere?.clone().applyMatrix4(matrixWorld);
  if (
    sphere === undefined ||
    !raycaster.ray.intersectsSphere(sphere) ||
    matrixWorld.determinant() === 0
  )
    return;
  const chunks = chunksOfGeometries.get(geometry) ?? new TriangleChunks(geometry);
  chunksOfGeometries.set(geometry, chunks);
  const ray = raycaster.ray.clone().applyMatrix4(matrixWorld.clone().invert());
  const { drawRange } = geometry;
  for (const chunk of chunks.find(ray)) {
    geometry.drawRange = chunk;
    mesh.raycast(raycaster, hits);
  }
  geometry.drawRange = drawRange;
}
