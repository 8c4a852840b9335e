import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessingReport } from '@cloche/contract/design';
import type { ModelStats } from '@cloche/contract/model-stats';
import { Problem } from '@cloche/contract/problem';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { ProgressListener, StepName } from '@cloche/pipeline/processing-steps';
import type { VerifiedWorkerReport } from '@cloche/pipeline/worker-report';
import type { BlobStore, Draft } from '../blobs/blob-store.ts';
import { ArtifactDrafts, type RetainedDrafts } from './artifact-drafts.ts';
import type { ProcessingEnvironment } from './processing-environment.ts';
import { addLevels, describeLevels } from './publish-levels.ts';
import { addPosterImages, type PosterDependencies, renderPoster } from './render-poster.ts';
import type { ProcessingResult, RevisionRecord } from './revision.ts';

export type PublishArtifactsDependencies = Pick<ProcessingEnvironment, 'validationWorker'> &
  PosterDependencies & { blobs: BlobStore };

export type PublishArtifactsOptions = {
  revision: RevisionRecord;
  /** Contains the worker's output in `out`. */
  jobDirectory: string;
  workerReport: VerifiedWorkerReport;
  /** The options of the design that change the first picture. */
  pictureOptions: ViewerOptions;
  signal: AbortSignal;
  onProgress: ProgressListener;
  /** Writes the result to the database, after the blobs are stored. Checks last that the drafts are retained. */
  saveResult(result: ProcessingResult, drafts: RetainedDrafts): Promise<void>;
};

/**
 * Validates the worker's output as untrusted input, renders the poster, compresses the models meanwhile, stores the
 * blobs and saves the result.
 *
 * @throws {Problem} design.too-complex, design.too-large: the output exceeds a limit
 * @throws {Problem} server.storage-full
 */
export async function publishArtifacts(
  dependencies: PublishArtifactsDependencies,
  options: PublishArtifactsOptions,
): Promise<void> {
  const { revision, workerReport, onProgress } = options;
  await using drafts = new ArtifactDrafts(dependencies.blobs);
  const steps = [...workerReport.steps];
  const warnings = [...workerReport.warnings];
  const runStep = async <T>(name: StepName, percent: number, step: () => Promise<T>) => {
    onProgress(name, percent);
    const start = performance.now();
    const result = await step();
    steps.push({ name, durationMs: Math.round(performance.now() - start) });
    return result;
  };

  const models = await runStep('validate', 88, () => addModels(dependencies, drafts, options));
  const { pictureOptions, signal, jobDirectory } = options;
  // At the same time as the poster. The step has the time that it takes longer.
  const compressing = drafts.compress();
  const poster = await runStep('poster', 92, () =>
    renderPoster(dependencies, {
      ...models,
      levels: workerReport.levels && {
        ...workerReport.levels,
        directory: join(jobDirectory, 'out'),
      },
      designId: revision.designId,
      options: pictureOptions,
      signal,
    }),
  );
  if (poster === 'failed') warnings.push(POSTER_FAILED_WARNING);
  else {
    if (poster?.hasOneColor) warnings.push(POSTER_BLANK_WARNING);
    if (poster !== undefined) await addPosterImages(drafts, poster);
  }
  await runStep('compress', 97, () => compressing);

  const preview = drafts.artifacts.find(({ kind }) => kind === 'preview');
  const levels = describeLevels(drafts.artifacts, workerReport.levels, models.stats);
  const { extensions: _, bounds: __, ...after } = models.stats;
  const report: ProcessingReport = {
    format: revision.source.detectedFormat.format,
    before: { ...workerReport.before, bytes: revision.source.sizeBytes },
    after,
    ...(preview && { previewBytes: preview.sizeBytes }),
    ...(levels && { levels }),
    steps,
    warnings,
  };
  await drafts.commit();
  const result: ProcessingResult = {
    stats: models.stats,
    report,
    posterPlaceholder: poster === 'failed' ? undefined : poster?.placeholder,
    posterOptions: pictureOptions,
    artifacts: drafts.artifacts,
  };
  await options.saveResult(result, drafts);
}

const POSTER_FAILED_WARNING = {
  code: 'poster.failed',
  message:
    'No poster could be rendered, so visitors see the background until the model has loaded.',
};

const POSTER_BLANK_WARNING = {
  code: 'poster.blank',
  message:
    'The poster has only one color: probably nothing of the model can be seen. Check its materials, its normals, and parts that are very far away.',
};

/** `model` and `preview` are paths. */
type ValidatedModels = { model: string; preview: string | undefined; stats: ModelStats };

/** Adds and validates the model and its preview. */
async function addModels(
  dependencies: PublishArtifactsDependencies,
  drafts: ArtifactDrafts,
  { jobDirectory, workerReport }: PublishArtifactsOptions,
): Promise<ValidatedModels> {
  const modelPath = join(jobDirectory, 'out', 'model.glb');
  const previewPath = join(jobDirectory, 'out', 'preview.glb');
  const model = await drafts.add('model', createReadStream(modelPath));
  const hasPreview = !workerReport.previewUnused && (await isFile(previewPath));
  const preview = hasPreview
    ? await drafts.add('preview', createReadStream(previewPath))
    : undefined;
  if (preview !== undefined) await validateArtifact(dependencies, preview.path);
  const stats = await validateArtifact(dependencies, model.path);
  if (workerReport.levels !== undefined) {
    const validate = (draft: Draft) => validateArtifact(dependencies, draft.path);
    await addLevels(drafts, { jobDirectory, levels: workerReport.levels, validate });
  }
  // The validation does not decode geometry, so its box is approximate for instances and skins.
  const { bounds = stats.bounds } = workerReport;
  const exactStats = { ...stats, ...(bounds && { bounds }) };
  return { model: model.path, preview: preview?.path, stats: exactStats };
}

const LIMIT_PROBLEM_CODES = ['design.too-complex', 'design.too-large'];

/**
 * An artifact over a limit is a problem of the design. Any other invalid artifact is a bug, but the same file
 * would have the same result again.
 */
async function validateArtifact(
  { validationWorker, log }: PublishArtifactsDependencies,
  path: string,
): Promise<ModelStats> {
  const { stats } = await validationWorker.validate(path, { kind: 'artifact' }).catch((cause) => {
    if (!(cause instanceof Problem) || cause.status >= 500) throw cause;
    if (LIMIT_PROBLEM_CODES.includes(cause.code)) throw cause;
    log.warn({ err: cause }, 'a generated artifact is not valid');
    const detail = `The model that was made of the file is not valid: ${cause.message}`;
    throw new Problem('design.failed', { detail, cause });
  });
  assert(stats, 'The generated artifact is not a GLB.');
  return stats;
}

async function isFile(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ?? false;
}
