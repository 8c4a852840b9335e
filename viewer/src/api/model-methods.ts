import type { DeferredFeaturesContext, DeferredMethods } from '../deferred-features.ts';
import type { ModelState } from '../suspension.ts';
import type { Viewer } from '../viewer.ts';
import { AnimationMethods } from './animation-methods.ts';
import type { CameraMethods } from './camera-methods.ts';
import { ModelAccess } from './model-access.ts';
import { PartMethods } from './part-methods.ts';
import { PictureMethods } from './picture-methods.ts';
import { VariantMethods } from './variant-methods.ts';

type ModelMethods = {
  access: ModelAccess;
  methods: Omit<DeferredMethods, 'camera'>;
  /** What the methods have changed, for a model that is loaded again. */
  state: ModelState;
};

/** Creates the methods that need the model. */
export function createModelMethods(
  viewer: Viewer,
  { renderer, emit, getModel }: DeferredFeaturesContext,
  camera: CameraMethods,
  whileDrawable: <T>(task: () => Promise<T>) => Promise<T>,
): ModelMethods {
  const access = new ModelAccess(viewer, getModel);
  const animations = new AnimationMethods({ access, renderer, onChange: emit });
  const onChange = () => emit('partschange', undefined);
  const parts = new PartMethods({ access, renderer, camera, onChange });
  const variants = new VariantMethods({
    access,
    onChange(change) {
      parts.apply();
      renderer.requestRender();
      emit('variantchange', change);
    },
  });
  const picture = new PictureMethods({ renderer, parts, whileDrawable });
  return {
    access,
    methods: { variants, animations, parts, picture },
    state: {
      save() {
        animations.save();
        parts.save();
      },
      async restore(model) {
        await variants.restore(model);
        animations.restore(model);
        parts.restore(model);
      },
      resume() {
        animations.resume();
        parts.apply();
        const model = getModel();
        // A call may have selected another one while the model was loading.
        if (model === undefined) return;
        void variants.restore(model).then(() => {
          parts.apply();
          renderer.requestRender();
        });
      },
    },
  };
}
