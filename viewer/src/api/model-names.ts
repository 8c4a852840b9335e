import type { LoadedModel } from '../loader/prepare-model.ts';
import { toUniqueNames } from './unique-names.ts';

/** The names of the variants of a model, in the order of the file. Untrusted text. */
export function listVariantNames({ variants }: Pick<LoadedModel, 'variants'>): string[] {
  return toUniqueNames(variants?.names ?? [], 'Variant');
}

/** The names of the animations of a model, in the order of the file. Untrusted text. */
export function listAnimationNames({ animations }: Pick<LoadedModel, 'animations'>): string[] {
  return toUniqueNames(
    // three.js names animations without a name like this.
    (animations?.clips ?? []).map(({ name }, index) => (name === `animation_${index}` ? '' : name)),
    'Animation',
  );
}
