import type { PickResult } from '@cloche/contract/message';
import { type Camera, InstancedMesh, type Intersection, Matrix4, Vector3 } from 'three';
import type { Part } from '../scene/part-tree.ts';

/** Converts a hit of a ray. The normal points towards the camera, also on the back of a surface. */
export function toPickResult(hit: Intersection, { id, name }: Part, camera: Camera): PickResult {
  const towardsCamera = new Vector3().setFromMatrixPosition(camera.matrixWorld).sub(hit.point);
  const normal = computeNormal(hit) ?? towardsCamera.clone().normalize();
  if (normal.dot(towardsCamera) < 0) normal.negate();
  return { part: { id, name }, position: toPlain(hit.point), normal: toPlain(normal) };
}

/** The normal of the triangle in world space. Undefined for lines and points. */
function computeNormal({ face, object, instanceId }: Intersection): Vector3 | undefined {
  if (!face) return undefined;
  const matrix = object.matrixWorld.clone();
  if (object instanceof InstancedMesh && instanceId !== undefined) {
    const instanceMatrix = new Matrix4();
    object.getMatrixAt(instanceId, instanceMatrix);
    matrix.multiply(instanceMatrix);
  }
  return face.normal.clone().applyNormalMatrix(object.normalMatrix.clone().getNormalMatrix(matrix));
}

function toPlain({ x, y, z }: Vector3): { x: number; y: number; z: number } {
  return { x, y, z };
}
