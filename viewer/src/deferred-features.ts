import type { Object3D } from 'three';
import type { AnimationMethods } from './api/animation-methods.ts';
import type { CameraMethods } from './api/camera-methods.ts';
import type { PartMethods } from './api/part-methods.ts';
import type { PictureMethods } from './api/picture-methods.ts';
import type { VariantMethods } from './api/variant-methods.ts';
import type { OrbitController } from './camera/orbit-controller.ts';
import type { EventEmitter } from './event-emitter.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';
import type { ViewerEvents } from './viewer-events.ts';

/** The methods of a viewer that are loaded after the first frame. */
export type DeferredMethods = {
  camera: CameraMethods;
  variants: VariantMethods;
  animations: AnimationMethods;
  parts: PartMethods;
  picture: PictureMethods;
};

/** The features of a viewer that are loaded after the first frame. */
export type DeferredFeatures = Disposable & {
  camera: OrbitController;
  autoRotation: Disposable & { setActive(active: boolean): void };
  methods: DeferredMethods;
  /**
   * Resolves when the model has been shown for the first time.
   *
   * @throws {ViewerProblem} viewer.not-ready: it could not be loaded
   */
  whenModelLoaded(): Promise<void>;
  /** Draws again, after the WebGL context was lost or released. If that fails, the error is reported. */
  resume(): void;
};

/** The internals of a viewer that these features use, in addition to its public methods. */
export type DeferredFeaturesContext = {
  document: Document;
  renderer: SceneRenderer;
  emit: EventEmitter<ViewerEvents>['emit'];
  /** Returns the model; undefined while only its preview is shown, and while it is unloaded. */
  getModel: () => LoadedModel | undefined;
  /** Enters the state `failed` and reports the error. */
  fail: (error: unknown) => void;
  /** Returns from the state `failed` to the previous state. */
  recover: () => void;
  /** Removes the model from the scene, and returns its root for disposal. */
  unloadModel: () => Object3D | undefined;
  /**
   * Loads the model again and shows it, in the current view. `prepare` is called before. If that fails, the
   * error is reported. Returns whether it is shown.
   */
  reloadModel: (prepare: (model: LoadedModel) => Promise<void>) => Promise<boolean>;
};

/** Adds these features to a viewer that shows a model. */
export type MountDeferredFeatures = (context: DeferredFeaturesContext) => DeferredFeatures;
