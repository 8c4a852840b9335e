import { readFile, stat } from 'node:fs/promises';
import type { Look } from '@cloche/contract/framed';
import type { Stats } from '@cloche/contract/stats';
import { Browser } from './poster/browser.ts';
import { launchBrowser } from './poster/launch.ts';
import { type Picture, photograph } from './poster/photograph.ts';
import { findPrograms } from './poster/programs.ts';
import { openSite, type ViewerPage } from './poster/site.ts';

export type { Picture } from './poster/photograph.ts';

/** Takes the picture that visitors see before the model is there. */
export interface Poster {
  take(order: {
    /** A GLB of our own making. */
    model: string;
    /** A likeness of it, for when it is too large. */
    preview?: string | undefined;
    stats: Stats;
    signal: AbortSignal;
  }): Promise<{ pictures: readonly Picture[]; look: Look }>;
}

/** Which browser takes the pictures: the best there is, the one that is named, or none. */
export type BrowserWish = { kind: 'found' } | { kind: 'named'; path: string } | { kind: 'none' };

export type PosterOptions = {
  browser: BrowserWish;
  viewer: ViewerPage;
  /** Holds the browser's profile while it runs. */
  folder: string;
  log: { warn(facts: object, message: string): void };
  idleMs?: number;
  timeoutMs?: number;
  /** Looks for browsers. */
  find?: typeof findPrograms;
};

/** Models go to the browser through a pipe, as base64: what is larger would weigh on the service. */
const MAX_MODEL_BYTES = 64 * 1024 * 1024;
const IDLE_MS = 30_000;
const TIMEOUT_MS = 30_000;

/** Opens the place where pictures are taken; undefined where there is no browser, or none is wanted. */
export async function openPoster(
  options: PosterOptions,
): Promise<(Poster & AsyncDisposable) | undefined> {
  const { browser: wish, viewer, folder, log } = options;
  const { idleMs = IDLE_MS, timeoutMs = TIMEOUT_MS, find = findPrograms } = options;
  if (wish.kind === 'none') return undefined;
  const programs = await find(wish.kind === 'named' ? wish.path : undefined);
  if (programs.length === 0) {
    log.warn({}, 'there is no browser to take pictures with: designs have no posters');
    return undefined;
  }
  const browser = new Browser({
    launch: () => launchBrowser(programs, folder),
    idleMs,
    timeoutMs,
  });
  return {
    async take({ model, preview, stats, signal }) {
      const glb = await readFile(await chooseFile(model, preview));
      const site = openSite(viewer, glb, stats.bounds);
      return browser.use((devtools) => photograph(devtools, site), signal);
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}

async function chooseFile(model: string, preview: string | undefined): Promise<string> {
  const { size } = await stat(model);
  if (size <= MAX_MODEL_BYTES) return model;
  if (preview !== undefined) return preview;
  throw new Error(`${size} bytes are too many for a picture.`);
}
