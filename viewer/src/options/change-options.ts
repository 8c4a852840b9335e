import { parseOption } from '@cloche/contract/parse-option';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import {
  VIEWER_OPTION_NAMES,
  type ViewerOptionName,
  type ViewerOptions,
} from '@cloche/contract/viewer-options';
import { ViewerProblem } from '@cloche/contract/viewer-problem';
import type { ProgressiveLoader } from '../progressive-loader.ts';
import type { ViewerState } from '../viewer-events.ts';
import { applyOptions, applyToRenderer } from './apply-options.ts';
import { createNameProblem } from './select-by-name.ts';
import { setTheme } from './theme.ts';
import { setTitle } from './title.ts';

/** The methods of the facade that are used here. */
type Viewer = {
  state: ViewerState;
  getVariants(): Promise<string[]>;
  setVariant(name: string | null): Promise<void>;
  getAnimations(): Promise<{ name: string }[]>;
  selectAnimation(name: string): Promise<void>;
  play(): Promise<void>;
  pause(): Promise<void>;
};

type ChangeTarget = {
  document: Document;
  config: ViewerConfig;
  /** Modified. */
  options: ViewerOptions;
  loader: ProgressiveLoader;
  viewer: Viewer;
};

/** The values of the changed options; undefined restores the default. */
type Changes = ReadonlyMap<ViewerOptionName, boolean | number | string | undefined>;

/**
 * Checks changes of options, and applies them to what is shown. What is not shown yet gets them when it is.
 *
 * @returns the names of the options that were changed
 * @throws {ViewerProblem} viewer.invalid-argument, viewer.unknown-variant, viewer.unknown-animation
 */
export async function changeOptions(
  changes: unknown,
  target: ChangeTarget,
): Promise<ReadonlySet<ViewerOptionName>> {
  const parsed = parseChanges(changes);
  await assertNamesKnown(parsed, target.viewer);
  const { options } = target;
  for (const [name, value] of parsed) {
    if (value === undefined) delete options[name];
    else Object.assign(options, { [name]: value });
  }
  target.loader.noteOptionChanges(parsed.keys());
  await applyChanges(new Set(parsed.keys()), target);
  return new Set(parsed.keys());
}

/** @throws {ViewerProblem} viewer.invalid-argument */
function parseChanges(changes: unknown): Changes {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
    throw new ViewerProblem('viewer.invalid-argument', 'The options must be an object.');
  const parsed = new Map<ViewerOptionName, boolean | number | string | undefined>();
  for (const [name, value] of Object.entries(changes)) {
    const option = VIEWER_OPTION_NAMES.find((candidate) => candidate === name);
    if (option === undefined) {
      const shown = JSON.stringify(name.slice(0, 100));
      throw new ViewerProblem('viewer.invalid-argument', `${shown} is not an option.`);
    }
    if (value === undefined) continue;
    const result = value === null ? { value: undefined } : parseOption(option, value);
    if ('expected' in result)
      throw new ViewerProblem('viewer.invalid-argument', `${name} ${result.expected}.`);
    parsed.set(option, result.value);
  }
  return parsed;
}

/**
 * Once the model is shown, a name that it does not have is an error. Before, it is only known when the model has loaded.
 *
 * @throws {ViewerProblem} viewer.unknown-variant, viewer.unknown-animation
 */
async function assertNamesKnown(changes: Changes, viewer: Viewer): Promise<void> {
  if (viewer.state !== 'ready') return;
  const [variant, animation] = [changes.get('variantName'), changes.get('animationName')];
  if (typeof variant === 'string') {
    const names = await viewer.getVariants();
    if (!names.includes(variant)) throw createNameProblem('viewer.unknown-variant', variant, names);
  }
  if (typeof animation === 'string') {
    const names = (await viewer.getAnimations()).map(({ name }) => name);
    if (!names.includes(animation))
      throw createNameProblem('viewer.unknown-animation', animation, names);
  }
}

/**
 * Applies the options that changed while the model, which already had the options of before, was not shown yet.
 *
 * A name that the model does not have is one line in the console, as for a model that is not loaded yet.
 */
export async function applyLateOptions(target: ChangeTarget): Promise<void> {
  const changed = target.loader.takeLateOptions();
  if (changed.size === 0) return;
  try {
    await applyChanges(changed, target);
  } catch (error) {
    if (!(error instanceof ViewerProblem)) throw error;
    console.warn(`Cloche: ${error.message}`);
  }
}

async function applyChanges(
  changed: ReadonlySet<ViewerOptionName>,
  { document, config, options, loader, viewer }: ChangeTarget,
): Promise<void> {
  if (changed.has('title')) setTitle(document, options.title ?? config.design.name);
  if (changed.has('theme') || changed.has('background')) {
    setTheme(document, options);
    loader.updateBackground();
  }
  const { renderer, model } = loader;
  if (renderer !== undefined) {
    applyToRenderer(options, renderer);
    // Without it, the document is suspended. The model gets the options when it is loaded again.
    if (model !== undefined) await applyOptions(options, { renderer, model, role: 'reloaded' });
    renderer.requestRender();
  }
  if (viewer.state === 'ready') await applySelection(changed, options, viewer);
}

async function applySelection(
  changed: ReadonlySet<ViewerOptionName>,
  { variantName, animationName, autoplay = true }: ViewerOptions,
  viewer: Viewer,
): Promise<void> {
  if (changed.has('variantName')) await viewer.setVariant(variantName ?? null);
  const [first] = await viewer.getAnimations();
  if (first === undefined) return;
  if (changed.has('animationName')) await viewer.selectAnimation(animationName ?? first.name);
  if (changed.has('autoplay')) await (autoplay ? viewer.play() : viewer.pause());
}
