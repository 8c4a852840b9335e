import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { ViewerProblem, type ViewerProblemCode } from '@cloche/contract/viewer-problem';
import { listAnimationNames, listVariantNames } from '../api/model-names.ts';
import type { LoadedModel } from '../loader/prepare-model.ts';

/**
 * Selects the variant and the animation that the options name, in a model that is not drawn yet. For a name that the model
 * does not have, writes one line to the console.
 */
export async function selectByName(
  { variantName, animationName }: ViewerOptions,
  model: LoadedModel,
): Promise<void> {
  const clip = findName(animationName, listAnimationNames(model), 'viewer.unknown-animation');
  if (clip !== undefined) model.animations?.selectClip(clip);
  const variant = findName(variantName, listVariantNames(model), 'viewer.unknown-variant');
  if (variant !== undefined) await model.variants?.select(variant);
}

function findName(
  name: string | undefined,
  names: readonly string[],
  code: ViewerProblemCode,
): number | undefined {
  if (name === undefined) return undefined;
  const index = names.indexOf(name);
  if (index >= 0) return index;
  console.warn(`Cloche: ${createNameProblem(code, name, names).message}`);
  return undefined;
}

/** The names come from the file: they may be long, and there may be many. */
export function createNameProblem(
  code: ViewerProblemCode,
  name: string,
  names: readonly string[],
): ViewerProblem {
  const known = JSON.stringify(names).slice(0, 300);
  return new ViewerProblem(code, `${JSON.stringify(name)} is none of ${known}.`);
}
