import type { CameraState } from '@cloche/contract/message';
import type { ViewerOptions } from '@cloche/contract/viewer-options';

/** The options with which an embed starts at a position of the camera. */
export function toCameraOptions({ orbit, target, fieldOfView }: CameraState): ViewerOptions {
  return {
    cameraOrbit: `${toDegrees(orbit.theta)} ${toDegrees(orbit.phi)} ${toLength(orbit.radius)}`,
    cameraTarget: `${toLength(target.x)} ${toLength(target.y)} ${toLength(target.z)}`,
    fieldOfView: toDegrees(fieldOfView),
  };
}

const toDegrees = (radians: number) => `${round((radians * 180) / Math.PI)}deg`;
const toLength = (metres: number) => `${round(metres)}m`;

/** Without an exponent, and without more digits than can be seen. */
function round(value: number): number {
  const digits = Math.abs(value) >= 10 ? 2 : 5;
  return Number(value.toFixed(digits)) + 0;
}
