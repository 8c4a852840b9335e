import { join } from 'node:path';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { BlobStore } from '../blobs/blob-store.ts';
import { createDirectory } from '../disk/create-directory.ts';
import { ArtifactDrafts, type RetainedDrafts } from './artifact-drafts.ts';
import { addPosterImages, type PosterDependencies, renderPoster } from './render-poster.ts';
import type { Artifact, PosterUpdate, ProcessingResult, RevisionRecord } from './revision.ts';

export type UpdatePosterDependencies = PosterDependencies & { blobs: BlobStore };

export type UpdatePosterOptions = {
  revision: RevisionRecord;
  result: ProcessingResult;
  /** Those that the design has now, for the first picture. */
  options: ViewerOptions;
  jobDirectory: string;
  signal: AbortSignal;
  /**
   * Called after the images are stored, or without them if there is no poster: the previous one stays. Checks last that
   * the drafts are retained.
   */
  save(update?: PosterUpdate, drafts?: RetainedDrafts): Promise<void>;
};

/**
 * Renders the poster of a revision that is ready again, because its design has other options now. Until then, and
 * if that fails, embeds with these options have no poster.
 */
export async function updatePoster(
  dependencies: UpdatePosterDependencies,
  { revision, result, options, jobDirectory, signal, save }: UpdatePosterOptions,
): Promise<void> {
  const { blobs, posterRenderer } = dependencies;
  if (posterRenderer === undefined) return save();
  await createDirectory(jobDirectory);
  const copy = async (kind: Artifact['kind']): Promise<string | undefined> => {
    const artifact = result.artifacts.find((candidate) => candidate.kind === kind);
    const path = join(jobDirectory, `${kind}.glb`);
    return artifact && (await blobs.copyToFile(artifact.blob, path)) ? path : undefined;
  };
  const model = await copy('model');
  if (model === undefined) throw new Error(`The model of revision ${revision.id} is missing.`);
  const poster = await renderPoster(dependencies, {
    designId: revision.designId,
    model,
    preview: await copy('preview'),
    stats: result.stats,
    options,
    signal,
  });
  if (poster === undefined || poster === 'failed') return save();
  await using drafts = new ArtifactDrafts(blobs);
  await addPosterImages(drafts, poster);
  await drafts.commit();
  const { artifacts } = drafts;
  await save({ artifacts, posterPlaceholder: poster.placeholder, options }, drafts);
}
