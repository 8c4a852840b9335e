import { type Camera, type Object3D, Raycaster, Vector2, type Vector3 } from 'three';

/** A position in the frame: CSS pixels from its upper left corner. */
export type ScreenPoint = { x: number; y: number };

/** Returns the point of the model that is visible at a position. Undefined on the background. */
export function pickPoint(
  position: ScreenPoint,
  { canvas, camera, root }: { canvas: HTMLCanvasElement; camera: Camera; root: Object3D },
): Vector3 | undefined {
  const { width, height } = canvas.getBoundingClientRect();
  const raycaster = new Raycaster();
  raycaster.setFromCamera(
    new Vector2((position.x / width) * 2 - 1, 1 - (position.y / height) * 2),
    camera,
  );
  return raycaster.intersectObject(root, true)[0]?.point;
}
