import type { OrbitController } from './camera/orbit-controller.ts';
import type { EventEmitter } from './event-emitter.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';
import type { ViewerEvents } from './viewer-events.ts';

/** The features of a viewer that are loaded after the first frame. */
export type DeferredFeatures = Disposable & {
  camera: OrbitController;
  /** Tries to restore a lost WebGL context. If that fails, the error is reported. */
  restoreContext(): void;
};

/** The internals of a viewer that these features use, in addition to its public methods. */
export type DeferredFeaturesContext = {
  document: Document;
  renderer: SceneRenderer;
  emit: EventEmitter<ViewerEvents>['emit'];
  /** Enters the state `failed` and reports the error. */
  fail: (error: unknown) => void;
  /** Returns from the state `failed` to the previous state. */
  recover: () => void;
};

/** Adds these features to a viewer that shows a model. */
export type MountDeferredFeatures = (context: DeferredFeaturesContext) => DeferredFeatures;
