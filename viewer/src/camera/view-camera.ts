import { PerspectiveCamera } from 'three';
import type { ModelBounds } from '../scene/model-bounds.ts';
import { type CameraView, computeDefaultView, fitDistance, placeCamera } from './framing.ts';

/** A perspective camera that shows a model in a `CameraView`, in a frame of any size. */
export class ViewCamera {
  readonly camera = new PerspectiveCamera();
  #framed: { bounds: ModelBounds; defaultView: CameraView; view: CameraView } | undefined;
  #frameHeight = 1;
  /**
   * Changes the view in which a model is first shown. `measureFit` returns the distance at which the model fits the frame,
   * in a view.
   */
  adjustDefaultView: (view: CameraView, measureFit: (view: CameraView) => number) => CameraView = (
    view,
  ) => view;

  /** Places the camera at the default view of a model. */
  frameModel(bounds: ModelBounds): void {
    const defaultView = this.#createDefaultView(bounds);
    this.#framed = { bounds, defaultView, view: defaultView };
    this.#place();
  }

  /**
   * Applies `adjustDefaultView` to the model that is shown. The camera stays where it is.
   *
   * @returns the factor by which its zoom has changed: that is relative to the default view
   */
  updateDefaultView(): number {
    const framed = this.#getFramed();
    const { bounds, view } = framed;
    const before = this.fitDistance(view.fovY);
    framed.defaultView = this.#createDefaultView(bounds);
    const factor = before / this.fitDistance(view.fovY);
    framed.view = { ...view, zoom: view.zoom * factor };
    return factor;
  }

  #createDefaultView(bounds: ModelBounds): CameraView {
    return this.adjustDefaultView(computeDefaultView(bounds), (view) =>
      fitDistance(bounds, view, view.fovY, this.camera.aspect),
    );
  }

  get hasModel(): boolean {
    return this.#framed !== undefined;
  }

  /** The bounds of the model. Like the views, they can be read only after `frameModel`. */
  get bounds(): ModelBounds {
    return this.#getFramed().bounds;
  }

  /** The view in which the model is first shown. */
  get defaultView(): CameraView {
    return this.#getFramed().defaultView;
  }

  get view(): CameraView {
    return this.#getFramed().view;
  }

  setView(view: CameraView): void {
    this.#getFramed().view = view;
    this.#place();
  }

  /** Adapts the camera to a frame of this size. CSS pixels. */
  resize(width: number, height: number): void {
    this.#frameHeight = height;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.#framed !== undefined) this.#place();
  }

  /** World units per CSS pixel at the target. */
  get unitsPerPixel(): number {
    return (2 * this.distance * Math.tan(this.view.fovY / 2)) / this.#frameHeight;
  }

  /** The distance between the camera and its target. */
  get distance(): number {
    const { fovY, zoom } = this.view;
    return this.fitDistance(fovY) * zoom;
  }

  /** The distance between the camera and its target at zoom 1, in the current frame. `fovY` in radians. */
  fitDistance(fovY: number): number {
    return fitDistance(this.bounds, this.defaultView, fovY, this.camera.aspect);
  }

  #place(): void {
    placeCamera(this.camera, this.view, { bounds: this.bounds, distance: this.distance });
  }

  #getFramed() {
    if (this.#framed === undefined) throw new Error('No model has been shown yet.');
    return this.#framed;
  }
}
