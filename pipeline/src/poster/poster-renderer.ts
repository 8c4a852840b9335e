import { readFile, stat } from 'node:fs/promises';
import type { ModelStats } from '@cloche/contract/model-stats';
import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import { capturePoster, type PosterImage } from './capture-poster.ts';
import { findBrowsers } from './find-browsers.ts';
import { launchBrowser } from './launch-browser.ts';
import { createRequestHandler, type ViewerBundle } from './request-handler.ts';
import { SharedBrowser } from './shared-browser.ts';

export type { PosterImage } from './capture-poster.ts';

/** Takes the picture that visitors see before the model is there. */
export interface PosterRenderer {
  render(order: {
    /** A GLB of our own making. */
    model: string;
    /** A likeness of it, for when it is too large. */
    preview?: string | undefined;
    stats: ModelStats;
    signal: AbortSignal;
  }): Promise<{ pictures: readonly PosterImage[]; look: PosterPlaceholder }>;
}

/** Which browser takes the pictures: the best there is, the one that is named, or none. */
export type BrowserOption = { kind: 'found' } | { kind: 'named'; path: string } | { kind: 'none' };

export type PosterRendererOptions = {
  browser: BrowserOption;
  viewer: ViewerBundle;
  /** Holds the browser's profile while it runs. */
  profileDirectory: string;
  log: { warn(facts: object, message: string): void };
  idleMs?: number;
  timeoutMs?: number;
  /** Looks for browsers. */
  findBrowsers?: typeof findBrowsers;
};

/** Models go to the browser through a pipe, as base64: what is larger would weigh on the service. */
const MAX_POSTER_MODEL_BYTES = 64 * 1024 * 1024;
const IDLE_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 30_000;

/** Opens the place where pictures are taken; undefined where there is no browser, or none is wanted. */
export async function openPosterRenderer(
  options: PosterRendererOptions,
): Promise<(PosterRenderer & AsyncDisposable) | undefined> {
  const { browser: wish, viewer, profileDirectory, log } = options;
  const {
    idleMs = IDLE_TIMEOUT_MS,
    timeoutMs = TIMEOUT_MS,
    findBrowsers: find = findBrowsers,
  } = options;
  if (wish.kind === 'none') return undefined;
  const programs = await find(wish.kind === 'named' ? wish.path : undefined);
  if (programs.length === 0) {
    log.warn({}, 'there is no browser to take pictures with: designs have no posters');
    return undefined;
  }
  const browser = new SharedBrowser({
    launch: () => launchBrowser(programs, profileDirectory),
    idleMs,
    timeoutMs,
  });
  return {
    async render({ model, preview, stats, signal }) {
      const glb = await readFile(await chooseModelFile(model, preview));
      const site = createRequestHandler(viewer, glb, stats.bounds);
      return browser.use((devtools) => capturePoster(devtools, site), signal);
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}

async function chooseModelFile(model: string, preview: string | undefined): Promise<string> {
  const { size } = await stat(model);
  if (size <= MAX_POSTER_MODEL_BYTES) return model;
  if (preview !== undefined) return preview;
  throw new Error(`${size} bytes are too many for a picture.`);
}
