import type { BlobStore, Draft } from '../blobs/blob-store.ts';
import type { Transaction } from '../database/database.ts';
import { compressDraft } from './compress-draft.ts';
import type { Artifact } from './revision.ts';

/** Maximum size of an artifact. An artifact may be larger than its source file. */
const MAX_ARTIFACT_BYTES = 512 * 1024 * 1024;

/** Stored files that no row references yet. */
export type RetainedDrafts = Pick<ArtifactDrafts, 'assertRetained'>;

/** The artifacts of one revision as drafts. Disposing deletes the drafts that were not committed. */
export class ArtifactDrafts implements AsyncDisposable {
  readonly artifacts: Artifact[] = [];
  readonly #blobs: BlobStore;
  /** In the order of `artifacts`. */
  readonly #drafts: Draft[] = [];
  readonly #compressedDrafts: Draft[] = [];
  #compressing: Promise<void> | undefined;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  get #all(): readonly Draft[] {
    return [...this.#drafts, ...this.#compressedDrafts];
  }

  async add(
    kind: Artifact['kind'],
    bytes: AsyncIterable<Uint8Array>,
    size?: { width: number; height: number },
  ): Promise<Draft> {
    const draft = await this.#blobs.createDraft(bytes, { maxBytes: MAX_ARTIFACT_BYTES });
    this.#drafts.push(draft);
    this.artifacts.push({ kind, blob: draft.ref, sizeBytes: draft.sizeBytes, ...size });
    return draft;
  }

  /** Sets the level of an artifact, which must be unique among those of its kind. */
  setLevel(draft: Draft, level: number): void {
    const artifact = this.artifacts[this.#drafts.indexOf(draft)] as Artifact;
    const isTaken = this.artifacts.some(
      (other) => other.kind === artifact.kind && other.level === level,
    );
    if (isTaken)
      throw new Error(`Two artifacts of the kind ${artifact.kind} have the level ${level}.`);
    artifact.level = level;
  }

  /**
   * Adds a compressed draft to each artifact so far that becomes smaller. Images are compressed already. Others
   * may be added meanwhile.
   */
  compress(): Promise<void> {
    this.#compressing = settleAll(
      this.#drafts.map((draft, index) => this.#compress(draft, this.artifacts[index] as Artifact)),
    );
    // The caller may throw before it waits for this.
    this.#compressing.catch(() => undefined);
    return this.#compressing;
  }

  async #compress(draft: Draft, artifact: Artifact): Promise<void> {
    if (artifact.kind.startsWith('poster') || artifact.kind === 'textures') return;
    const compressed = await compressDraft(this.#blobs, draft);
    if (compressed === undefined) return;
    this.#compressedDrafts.push(compressed);
    artifact.brotli = { blob: compressed.ref, sizeBytes: compressed.sizeBytes };
  }

  async commit(): Promise<void> {
    await settleAll(this.#all.map((draft) => draft.commit()));
  }

  /**
   * Checks that each committed file is still kept for the row that references it. Last in the transaction that adds the rows.
   *
   * @throws {Problem} server.unavailable: another node may have removed a file meanwhile
   */
  async assertRetained(trx: Transaction): Promise<void> {
    // Each takes a lock. In the same order everywhere, no two transactions wait for each other.
    for (const draft of this.#all.toSorted((a, b) => (a.ref < b.ref ? -1 : 1)))
      await draft.assertRetained(trx);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#compressing?.catch(() => undefined);
    for (const draft of this.#all) await draft[Symbol.asyncDispose]();
  }
}

/** Throws the first error after all have ended: drafts must not be written while they are deleted. */
async function settleAll(promises: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises))
    if (result.status === 'rejected') throw result.reason;
}
