import {
  type CameraChange,
  type CameraMovement,
  type CameraState,
  MAX_MOVEMENT_MS,
} from '@cloche/contract/message';
import { parseAngle, parseOrbit, parsePosition } from '@cloche/contract/option-values';
import { Vector3 } from 'three';
import { createArgumentProblem } from '../argument-problem.ts';
import { type CameraView, fitDistance } from '../camera/framing.ts';
import type { OrbitController } from '../camera/orbit-controller.ts';
import type { ViewCamera } from '../camera/view-camera.ts';
import type { ModelBounds } from '../scene/model-bounds.ts';
import type { CameraSource } from '../viewer-events.ts';

/** The camera of the viewer in the units of the protocol: absolute distances, and angles from the zenith. */
export class CameraMethods {
  readonly #controller: OrbitController;
  readonly #viewCamera: ViewCamera;

  constructor(controller: OrbitController, viewCamera: ViewCamera) {
    this.#controller = controller;
    this.#viewCamera = viewCamera;
  }

  /** Where the camera is now, also during a movement. */
  getCamera(): CameraState {
    const { view, distance } = this.#viewCamera;
    const { x, y, z } = view.target;
    return {
      orbit: { theta: view.azimuth, phi: Math.PI / 2 - view.elevation, radius: distance },
      target: { x, y, z },
      fieldOfView: view.fovY,
    };
  }

  /** @throws {ViewerProblem} viewer.invalid-argument */
  setCamera(change: CameraChange, movement: CameraMovement, source: CameraSource): Promise<void> {
    assertMovement(movement);
    return this.#controller.moveTo(this.#readChange(change), movement, source);
  }

  /** @throws {ViewerProblem} viewer.invalid-argument */
  resetCamera(movement: CameraMovement, source: CameraSource): Promise<void> {
    assertMovement(movement);
    return this.#controller.reset(movement, source);
  }

  /**
   * Moves the camera, in its present direction, so that these bounds fill the frame.
   *
   * @throws {ViewerProblem} viewer.invalid-argument
   */
  frame(bounds: ModelBounds, movement: CameraMovement, source: CameraSource): Promise<void> {
    assertMovement(movement);
    const { camera } = this.#viewCamera;
    const { goal } = this.#controller;
    const target = bounds.center.clone();
    const distance = fitDistance(bounds, { ...goal, target }, goal.fovY, camera.aspect);
    const zoom = distance / this.#viewCamera.fitDistance(goal.fovY);
    return this.#controller.moveCloseTo({ target, zoom }, movement, source);
  }

  #readChange({ orbit, target, fieldOfView }: CameraChange): Partial<CameraView> {
    const fovY = this.#readFieldOfView(fieldOfView);
    return {
      ...this.#readOrbit(orbit, fovY ?? this.#controller.goal.fovY),
      ...(target !== undefined && { target: this.#readTarget(target) }),
      ...(fovY !== undefined && { fovY }),
    };
  }

  #readFieldOfView(value: CameraChange['fieldOfView']): number | undefined {
    if (typeof value !== 'string') return readNumber('fieldOfView', value, 'radians');
    const angle = parseAngle(value);
    if (angle === undefined) throw createArgumentProblem('fieldOfView', '"25deg" or "auto"');
    return angle === 'auto' ? this.#viewCamera.defaultView.fovY : angle;
  }

  #readOrbit(orbit: CameraChange['orbit'], fovY: number): Partial<CameraView> {
    if (orbit === undefined) return {};
    if (typeof orbit === 'string') return this.#readOrbitText(orbit, fovY);
    const theta = readNumber('orbit.theta', orbit.theta, 'radians');
    const phi = readNumber('orbit.phi', orbit.phi, 'radians');
    const radius = readNumber('orbit.radius', orbit.radius, 'metres');
    return {
      ...(theta !== undefined && { azimuth: theta }),
      ...(phi !== undefined && { elevation: Math.PI / 2 - phi }),
      ...(radius !== undefined && { zoom: radius / this.#viewCamera.fitDistance(fovY) }),
    };
  }

  /** Parts that are `auto` have the values of the default view. */
  #readOrbitText(text: string, fovY: number): Partial<CameraView> {
    const orbit = parseOrbit(text);
    if (orbit === undefined) throw createArgumentProblem('orbit', '"30deg 75deg 105%"');
    const { theta, phi, radius } = orbit;
    const { azimuth, elevation, zoom } = this.#viewCamera.defaultView;
    return {
      azimuth: theta ?? azimuth,
      elevation: phi === undefined ? elevation : Math.PI / 2 - phi,
      zoom: radius === undefined ? zoom : this.#toZoom(radius, fovY),
    };
  }

  #toZoom(radius: { meters: number } | { ratio: number }, fovY: number): number {
    return 'ratio' in radius ? radius.ratio : radius.meters / this.#viewCamera.fitDistance(fovY);
  }

  #readTarget(target: NonNullable<CameraChange['target']>): Vector3 {
    if (typeof target === 'string') {
      const position = parsePosition(target);
      if (position === undefined) throw createArgumentProblem('target', '"0m 0.4m 0m"');
      return Object.assign(this.#viewCamera.defaultView.target.clone(), position);
    }
    const result = new Vector3().copy(this.#controller.goal.target);
    for (const axis of ['x', 'y', 'z'] as const) {
      result[axis] = readNumber(`target.${axis}`, target[axis], 'metres') ?? result[axis];
    }
    return result;
  }
}

function assertMovement({ durationMs }: CameraMovement): void {
  const isValid = durationMs === undefined || (durationMs >= 0 && durationMs <= MAX_MOVEMENT_MS);
  if (isValid) return;
  throw createArgumentProblem('durationMs', `a number from 0 to ${MAX_MOVEMENT_MS}`);
}

function readNumber(name: string, value: unknown, unit: string): number | undefined {
  if (value === undefined || Number.isFinite(value)) return value as number | undefined;
  throw createArgumentProblem(name, `a finite number, in ${unit}`);
}
