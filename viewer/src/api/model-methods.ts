import type { DeferredFeaturesContext, DeferredMethods } from '../deferred-features.ts';
import type { ModelState } from '../suspension.ts';
import type { Viewer } from '../viewer.ts';
import { AnimationMethods } from './animation-methods.ts';
import { ModelAccess } from './model-access.ts';
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
  whileDrawable: <T>(task: () => Promise<T>) => Promise<T>,
): ModelMethods {
  const access = new ModelAccess(viewer, getModel);
  const animations = new AnimationMethods({ access, renderer, onChange: emit });
  const variants = new VariantMethods({
    access,
    onChange(change) {
      renderer.requestRender();
      emit('variantchange', change);
    },
  });
  const picture = new PictureMethods({ renderer, whileDrawable });
  return {
    access,
    methods: { variants, animations, picture },
    state: {
      save: () => animations.save(),
      async restore(model) {
        await variants.restore(model);
        animations.restore(model);
      },
      resume: () => animations.resume(),
    },
  };
}
