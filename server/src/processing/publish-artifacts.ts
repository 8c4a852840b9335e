import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessingReport } from '@cloche/contract/design';
import type { ModelStats } from '@cloche/contract/model-stats';
import { Problem } from '@cloche/contract/problem';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import type { ProgressListener, StepName } from '@cloche/pipeline/processing-steps';
import type { VerifiedWorkerReport } from '@cloche/pipeline/sandbox/worker-report';
import type { ValidationWorker } from '@cloche/pipeline/validation/worker/validation-worker';
import type { FastifyBaseLogger } from 'fastify';
import type { BlobStore, Draft } from '../blobs/blob-store.ts';
import type { Artifact, ProcessingResult, RevisionRecord } from '../designs/design.ts';

type PublishContext = {
  jobDirectory: string;
  revision: RevisionRecord;
  signal: AbortSignal;
  onProgress: ProgressListener;
};
type PublishArtifactsDependencies = {
  blobs: BlobStore;
  poster?: PosterRenderer | undefined;
  validationWorker: ValidationWorker;
  log: Pick<FastifyBaseLogger, 'warn'>;
};

/** What was made, as drafts: nothing of it lasts until it is kept. */
export type StagedArtifacts = ProcessingResult & AsyncDisposable & { keep(): Promise<void> };

/** What is made of a file may be larger than the file, but not by any size. */
const MAX_ARTIFACT_BYTES = 512 * 1024 * 1024;

/** Checks what a maker made as if a stranger had sent it, and takes its picture. */
export async function publishArtifacts(
  tools: PublishArtifactsDependencies,
  order: PublishContext,
  said: VerifiedWorkerReport,
): Promise<StagedArtifacts> {
  await using shelf = new ArtifactDrafts(tools.blobs);
  const steps = [...said.steps];
  const warnings = [...said.warnings];
  const timed = async <T>(name: StepName, percent: number, work: () => Promise<T>) => {
    order.onProgress(name, percent);
    const start = performance.now();
    const result = await work();
    steps.push({ name, ms: Math.round(performance.now() - start) });
    return result;
  };

  const files = await timed('check', 88, () => stageModels(tools, shelf, order));
  const { stats } = files;
  const picture = await timed('poster', 92, () => renderPoster(tools, files, order));
  if (picture === 'failed') warnings.push(POSTER_FAILED_WARNING);
  else
    for (const one of picture?.pictures ?? [])
      await shelf.add(one.kind, toAsyncIterable(one.bytes), one);

  const preview = shelf.artifacts.find(({ kind }) => kind === 'preview');
  const { extensions: _, bounds: __, ...after } = stats;
  const report: ProcessingReport = {
    format: order.revision.source.detectedFormat.format,
    before: { ...said.before, bytes: order.revision.source.sizeBytes },
    after,
    ...(preview && { previewBytes: preview.sizeBytes }),
    steps,
    warnings,
  };
  const posterPlaceholder = picture === 'failed' ? undefined : picture?.look;
  return { stats, report, posterPlaceholder, artifacts: shelf.artifacts, ...shelf.move() };
}

const POSTER_FAILED_WARNING = {
  code: 'poster.failed',
  message: 'No picture could be taken of the model, so visitors see its background first.',
};

type StagedModels = { model: string; preview: string | undefined; stats: ModelStats };

async function stageModels(
  { validationWorker }: PublishArtifactsDependencies,
  shelf: ArtifactDrafts,
  { jobDirectory }: PublishContext,
): Promise<StagedModels> {
  const made = (name: string) => join(jobDirectory, 'out', name);
  const model = await shelf.add('model', createReadStream(made('model.glb')));
  const preview = (await isFile(made('preview.glb')))
    ? await shelf.add('preview', createReadStream(made('preview.glb')))
    : undefined;
  if (preview !== undefined) await validateArtifact(validationWorker, preview.path);
  const stats = await validateArtifact(validationWorker, model.path);
  return { model: model.path, preview: preview?.path, stats };
}

const LIMIT_PROBLEM_CODES = ['design.too-complex', 'design.too-large'];

/** What does not pass here is our own fault and may go better another time, unless it is too much. */
async function validateArtifact(examiner: ValidationWorker, path: string): Promise<ModelStats> {
  const { stats } = await examiner.validate(path).catch((cause) => {
    if (cause instanceof Problem && LIMIT_PROBLEM_CODES.includes(cause.code)) throw cause;
    throw new Error('What was made does not pass the preflight.', { cause });
  });
  assert(stats, 'What was made is no GLB.');
  return stats;
}

/** A model without a picture is still a model. */
async function renderPoster(
  { poster, log }: PublishArtifactsDependencies,
  files: StagedModels,
  { signal, revision }: PublishContext,
) {
  try {
    return await poster?.render({ ...files, signal });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, design: revision.designId }, 'no picture could be taken of a design');
    return 'failed' as const;
  }
}

/** Drafts of one revision: kept together, or gone together. */
class ArtifactDrafts implements AsyncDisposable {
  readonly artifacts: Artifact[] = [];
  readonly #blobs: BlobStore;
  readonly #drafts: Draft[] = [];
  #moved = false;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  async add(
    kind: Artifact['kind'],
    bytes: AsyncIterable<Uint8Array>,
    size: { width?: number; height?: number } = {},
  ): Promise<Draft> {
    const draft = await this.#blobs.createDraft(bytes, { maxBytes: MAX_ARTIFACT_BYTES });
    this.#drafts.push(draft);
    const { width, height } = size;
    const pixels = width !== undefined && height !== undefined ? { width, height } : {};
    this.artifacts.push({ kind, blob: draft.ref, sizeBytes: draft.sizeBytes, ...pixels });
    return draft;
  }

  move(): AsyncDisposable & { keep(): Promise<void> } {
    this.#moved = true;
    return {
      keep: async () => {
        for (const draft of this.#drafts) await draft.commit();
      },
      [Symbol.asyncDispose]: () => this.#disposeAll(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#moved) await this.#disposeAll();
  }

  async #disposeAll(): Promise<void> {
    for (const draft of this.#drafts) await draft[Symbol.asyncDispose]();
  }
}

async function isFile(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ?? false;
}

async function* toAsyncIterable(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
