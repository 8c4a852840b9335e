import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import { toBlobRef } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import type { EarlyPreviewStore } from './early-preview-store.ts';
import type { ProcessingEnvironment } from './processing-environment.ts';
import type { RevisionRecord, RevisionStatusStore } from './revision.ts';

export type PublishEarlyPreviewDependencies = Pick<ProcessingEnvironment, 'validationWorker'> & {
  revisions: Pick<RevisionStatusStore, 'lockDesign'>;
  earlyPreviews: EarlyPreviewStore;
  /** Whether this runner still has the job of the revision. */
  isJobHeld: (trx: Transaction) => Promise<boolean>;
  database: Database;
  log: Pick<FastifyBaseLogger, 'warn'>;
};

/** The pipeline makes previews of at most 100 kB. */
const MAX_PREVIEW_BYTES = 200_000;

/**
 * Shows the preview of a revision while its model is being made. It is validated as untrusted input. Without it, embeds
 * wait for the model, with which the preview is validated again, so a failure is only logged.
 *
 * @returns whether the preview is shown
 */
export async function publishEarlyPreview(
  dependencies: PublishEarlyPreviewDependencies,
  { id: revisionId, designId }: RevisionRecord,
  path: string,
): Promise<boolean> {
  const { validationWorker, revisions, earlyPreviews, isJobHeld, database, log } = dependencies;
  try {
    const file = await readSmallFile(path, MAX_PREVIEW_BYTES);
    const { stats } = await validationWorker.validate(path, { kind: 'artifact' });
    const blob = toBlobRef(createHash('sha256').update(file).digest('hex'));
    if (stats === undefined || blob === undefined) throw new Error('The preview is not a GLB.');
    const preview = { revisionId, blob, sizeBytes: file.length, stats };
    return await runTransaction(database, async (trx) => {
      await revisions.lockDesign(designId, trx);
      return (await isJobHeld(trx)) && earlyPreviews.add(preview, file, trx);
    });
  } catch (err) {
    log.warn({ err, design: designId }, 'the preview could not be shown early');
    return false;
  }
}

/** Throws if the file is larger: validating it could take long. */
async function readSmallFile(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size > maxBytes) throw new Error(`The preview has ${size} bytes, more than ${maxBytes}.`);
  return await file.readFile();
}
