import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { Stats } from '@cloche/contract/stats';
import type { FastifyBaseLogger } from 'fastify';
import type { Blobs, Draft } from '../blobs/blobs.ts';
import type { ChildReport } from '../pipeline/maker.ts';
import type { Poster } from '../pipeline/poster.ts';
import type { Examiner } from '../pipeline/preflight/examiner.ts';
import type { Step, Tell } from '../pipeline/report.ts';
import type { Artifact, Made, Upload } from './design.ts';

type Order = { folder: string; upload: Upload; signal: AbortSignal; tell: Tell };
type Tools = {
  blobs: Blobs;
  poster?: Poster | undefined;
  examiner: Examiner;
  log: Pick<FastifyBaseLogger, 'warn'>;
};

/** What was made, as drafts: nothing of it lasts until it is kept. */
export type Collected = Made & AsyncDisposable & { keep(): Promise<void> };

/** What is made of a file may be larger than the file, but not by any size. */
const MAX_MODEL_BYTES = 512 * 1024 * 1024;

/** Checks what a maker made as if a stranger had sent it, and takes its picture. */
export async function collect(tools: Tools, order: Order, said: ChildReport): Promise<Collected> {
  await using shelf = new Drafts(tools.blobs);
  const steps = [...said.steps];
  const warnings = [...said.warnings];
  const timed = async <T>(name: Step, percent: number, work: () => Promise<T>) => {
    order.tell(name, percent);
    const start = performance.now();
    const result = await work();
    steps.push({ name, ms: Math.round(performance.now() - start) });
    return result;
  };

  const files = await timed('check', 88, () => takeModels(tools, shelf, order));
  const { stats } = files;
  const picture = await timed('poster', 92, () => takePicture(tools, files, order));
  if (picture === 'failed') warnings.push(NO_PICTURE);
  else for (const one of picture?.pictures ?? []) await shelf.add(one.kind, only(one.bytes), one);

  const preview = shelf.artifacts.find(({ kind }) => kind === 'preview');
  const { extensions: _, bounds: __, ...after } = stats;
  const report: Report = {
    format: order.upload.source.examined.format,
    before: { ...said.before, bytes: order.upload.source.bytes },
    after,
    ...(preview && { previewBytes: preview.bytes }),
    steps,
    warnings,
  };
  const look = picture === 'failed' ? undefined : picture?.look;
  return { stats, report, look, artifacts: shelf.artifacts, ...shelf.handOver() };
}

const NO_PICTURE = {
  code: 'poster.failed',
  message: 'No picture could be taken of the model, so visitors see its background first.',
};

type Files = { model: string; preview: string | undefined; stats: Stats };

async function takeModels({ examiner }: Tools, shelf: Drafts, { folder }: Order): Promise<Files> {
  const made = (name: string) => join(folder, 'out', name);
  const model = await shelf.add('model', createReadStream(made('model.glb')));
  const preview = (await isFile(made('preview.glb')))
    ? await shelf.add('preview', createReadStream(made('preview.glb')))
    : undefined;
  if (preview !== undefined) await inspect(examiner, preview.path);
  const stats = await inspect(examiner, model.path);
  return { model: model.path, preview: preview?.path, stats };
}

const TOO_MUCH = ['design.too-complex', 'design.too-large'];

/** What does not pass here is our own fault and may go better another time, unless it is too much. */
async function inspect(examiner: Examiner, path: string): Promise<Stats> {
  const { stats } = await examiner.examine(path).catch((cause) => {
    if (cause instanceof Problem && TOO_MUCH.includes(cause.code)) throw cause;
    throw new Error('What was made does not pass the preflight.', { cause });
  });
  assert(stats, 'What was made is no GLB.');
  return stats;
}

/** A model without a picture is still a model. */
async function takePicture({ poster, log }: Tools, files: Files, { signal, upload }: Order) {
  try {
    return await poster?.take({ ...files, signal });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, design: upload.designId }, 'no picture could be taken of a design');
    return 'failed' as const;
  }
}

/** Drafts of one revision: kept together, or gone together. */
class Drafts implements AsyncDisposable {
  readonly artifacts: Artifact[] = [];
  readonly #blobs: Blobs;
  readonly #drafts: Draft[] = [];
  #handedOver = false;

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  async add(
    kind: Artifact['kind'],
    bytes: AsyncIterable<Uint8Array>,
    size: { width?: number; height?: number } = {},
  ): Promise<Draft> {
    const draft = await this.#blobs.draft(bytes, { maxBytes: MAX_MODEL_BYTES });
    this.#drafts.push(draft);
    const { width, height } = size;
    const pixels = width !== undefined && height !== undefined ? { width, height } : {};
    this.artifacts.push({ kind, blob: draft.ref, bytes: draft.sizeBytes, ...pixels });
    return draft;
  }

  handOver(): AsyncDisposable & { keep(): Promise<void> } {
    this.#handedOver = true;
    return {
      keep: async () => {
        for (const draft of this.#drafts) await draft.keep();
      },
      [Symbol.asyncDispose]: () => this.#dropAll(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#handedOver) await this.#dropAll();
  }

  async #dropAll(): Promise<void> {
    for (const draft of this.#drafts) await draft[Symbol.asyncDispose]();
  }
}

async function isFile(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ?? false;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
