import { readFile, stat } from 'node:fs/promises';
import type { ModelStats } from '@cloche/contract/model-stats';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { Isolation } from '../sandbox/isolation.ts';
import { type CapturedPoster, capturePoster } from './capture-poster.ts';
import { findBrowsers } from './find-browsers.ts';
import { launchBrowser } from './launch-browser.ts';
import { createRequestHandler, type PosterModel, type ViewerBundle } from './request-handler.ts';
import { type PosterLevels, selectPosterParts } from './select-poster-parts.ts';
import { SharedBrowser } from './shared-browser.ts';

export type { CapturedPoster, PosterImage } from './capture-poster.ts';

/** The model to render, and the signal that cancels rendering. */
type RenderOptions = {
  /** Path of the model, a GLB that we wrote ourselves. */
  model: string;
  /** Path of its preview, which is rendered when the model is too large. */
  preview?: string | undefined;
  /** Its levels, if there are any: the poster is rendered with as much as it can show. */
  levels?: PosterLevels | undefined;
  stats: ModelStats;
  /** The options that change the first picture. */
  options?: ViewerOptions;
  signal: AbortSignal;
};

/** Renders the poster that visitors see while the model is loading. */
export interface PosterRenderer {
  /** Launches the browser before the model is there, so that `render` need not wait for it. */
  launch?(signal: AbortSignal): void;
  render(options: RenderOptions): Promise<CapturedPoster>;
}

/** Which browser renders posters: the first one found, the one at `path`, or none. */
export type BrowserOption = { kind: 'auto' } | { kind: 'path'; path: string } | { kind: 'none' };

/** Options of a poster renderer. */
export type PosterRendererOptions = {
  browser: BrowserOption;
  viewer: ViewerBundle;
  /** Directory for the profile of the running browser. */
  profileDirectory: string;
  /** The isolation of the browser; see Sandbox. */
  isolation: Isolation;
  log: { warn(details: object, message: string): void };
  idleMs?: number;
  timeoutMs?: number;
  /** Replaces the search for browsers, for tests. */
  findBrowsers?: typeof findBrowsers;
};

/** A larger model would cost the service too much memory and CPU: it is sent through a pipe in base64. */
const MAX_POSTER_MODEL_BYTES = 64 * 1024 * 1024;
/** With one of them, the model may be larger in the poster than in its default view. */
const CAMERA_OPTIONS = [
  'cameraOrbit',
  'cameraTarget',
  'fieldOfView',
  'minCameraOrbit',
  'maxCameraOrbit',
] as const;
const IDLE_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 30_000;

/** Opens a poster renderer; undefined if there is no browser or the option is `none`. */
export async function openPosterRenderer(
  options: PosterRendererOptions,
): Promise<(PosterRenderer & AsyncDisposable) | undefined> {
  const { browser: option, viewer, profileDirectory: directory, isolation, log } = options;
  const {
    idleMs = IDLE_TIMEOUT_MS,
    timeoutMs = TIMEOUT_MS,
    findBrowsers: find = findBrowsers,
  } = options;
  if (option.kind === 'none') return undefined;
  const browsers = await find(option.kind === 'path' ? option.path : undefined);
  if (browsers.length === 0) {
    log.warn({}, 'no browser found: designs get no posters');
    return undefined;
  }
  const sharedBrowser = new SharedBrowser({
    launch: () => launchBrowser(browsers, { directory, isolation, log }),
    idleMs,
    timeoutMs,
  });
  return {
    // If it fails, `render` launches the browser again, and throws the error.
    launch(signal) {
      sharedBrowser.use(async () => undefined, signal).catch(() => undefined);
    },
    async render({ options = {}, signal, ...files }) {
      // A preview has no variants and no animations.
      const { variantName, animationName } = options;
      const isShownByPreview = variantName === undefined && animationName === undefined;
      const isDefaultView = CAMERA_OPTIONS.every((name) => options[name] === undefined);
      const model = await readPosterModel({
        ...files,
        preview: isShownByPreview ? files.preview : undefined,
        levels: isDefaultView ? files.levels : undefined,
      });
      const { bounds } = files.stats;
      const handleRequest = createRequestHandler(viewer, model, { bounds, options });
      return sharedBrowser.use((cdp) => capturePoster(cdp, handleRequest), signal);
    },
    [Symbol.asyncDispose]: () => sharedBrowser[Symbol.asyncDispose](),
  };
}

/** Reads the parts of a model that its poster can show, or its preview if they are too large. */
async function readPosterModel({
  model,
  preview,
  levels,
  stats,
}: Omit<RenderOptions, 'options' | 'signal'>): Promise<PosterModel> {
  const { geometry = model, texturePack } = levels ? selectPosterParts(levels, stats.bounds) : {};
  const paths = texturePack ? [geometry, texturePack.path] : [geometry];
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_POSTER_MODEL_BYTES) {
    if (preview !== undefined) return { glb: await readFile(preview) };
    throw new Error(`A model of ${bytes} bytes is too large for a poster.`);
  }
  const [glb, file] = (await Promise.all(paths.map((path) => readFile(path)))) as [Buffer, Buffer?];
  return { glb, ...(texturePack && file && { texturePack: { file, size: texturePack.size } }) };
}
