import type { ModelStats } from '@cloche/contract/model-stats';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { CapturedPoster, PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import type { PosterLevels } from '@cloche/pipeline/poster/select-poster-parts';
import type { FastifyBaseLogger } from 'fastify';
import type { ArtifactDrafts } from './artifact-drafts.ts';

export type PosterDependencies = {
  posterRenderer?: PosterRenderer | undefined;
  log: Pick<FastifyBaseLogger, 'warn'>;
};

export type PosterRequest = {
  designId: string;
  /** Paths. */
  model: string;
  preview: string | undefined;
  levels?: PosterLevels | undefined;
  stats: ModelStats;
  /** The options that change the first picture. */
  options: ViewerOptions;
  signal: AbortSignal;
};

/** Returns 'failed' instead of throwing: a design without a poster can be shown. Undefined if there is no browser. */
export async function renderPoster(
  { posterRenderer, log }: PosterDependencies,
  { designId, signal, ...request }: PosterRequest,
): Promise<CapturedPoster | 'failed' | undefined> {
  try {
    return await posterRenderer?.render({ ...request, signal });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, design: designId }, 'rendering the poster failed');
    return 'failed';
  }
}

export async function addPosterImages(
  drafts: ArtifactDrafts,
  { images }: CapturedPoster,
): Promise<void> {
  for (const { kind, bytes, ...size } of images)
    await drafts.add(kind, toAsyncIterable(bytes), size);
}

async function* toAsyncIterable(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
