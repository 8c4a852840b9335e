import { randomUUID } from 'node:crypto';
import { Design, Revision } from '@cloche/contract/design';
import type { ValidationWorker } from '@cloche/pipeline/validation-worker/validation-worker';
import type { BlobStore, Draft } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { assertResponse } from '../http/assert-response.ts';
import type { IfMatch } from '../http/if-match.ts';
import { createJob } from '../processing/job.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { JobStore } from '../processing/job-store.ts';
import type { RevisionRecord } from '../processing/revision.ts';
import type { Quotas, Reservation } from '../quotas/quotas.ts';
import type { DesignRecord, RevisionSummary } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { RevisionStore } from './revision-store.ts';
import { toDesign, toRevision } from './serialize.ts';

export type IngestDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  jobs: JobStore;
  blobs: BlobStore;
  quotas: Quotas;
  database: Database;
  runner: Pick<JobRunner, 'notify'>;
  validationWorker: ValidationWorker;
  maxUploadBytes: number;
  maxQueuedJobs: number;
  now: () => Date;
};

/** A received file that is not stored yet, and the name that its client sent, which is untrusted. */
export type ReceivedFile = { draft: Draft; fileName: string | undefined };

type IngestOptions = {
  /** Whether the design is added, too. */
  isNewDesign: boolean;
  /** The versions of the design that may be changed. */
  ifMatch?: IfMatch | undefined;
  /** A further step in the transaction. Receives the design with its queued revision. */
  afterRevision: (trx: Transaction, design: DesignRecord) => Promise<void>;
  /** Ends the reservation of quota in the transaction. */
  releaseQuota?: Reservation['release'];
};

/**
 * Stores a received file as the next revision of a design and queues it for processing. The blob is
 * durable before the rows that reference it are written. Returns the design with its queued revision.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex, upload.quota,
 *   server.storage-full, server.busy, server.unavailable, request.precondition-failed
 */
export async function ingestFile(
  dependencies: IngestDependencies,
  { draft, fileName }: ReceivedFile,
  design: DesignRecord,
  { isNewDesign, ifMatch, afterRevision, releaseQuota }: IngestOptions,
): Promise<DesignRecord> {
  const { designs, revisions, jobs, quotas, database, runner, validationWorker, now } =
    dependencies;
  const { maxQueuedJobs } = dependencies;
  const { detectedFormat, decodedBytes } = await validationWorker.validate(draft.path, {
    kind: 'upload',
    userId: design.user,
  });
  await draft.commit();
  const { ref: blob, sizeBytes } = draft;
  const source = { blob, sizeBytes, fileName, detectedFormat, decodedBytes };
  const time = now();
  const queued = await runTransaction(database, async (trx) => {
    const needed = { bytes: sizeBytes, designs: isNewDesign ? 1 : 0 };
    await jobs.lockQueue(trx);
    await jobs.assertCapacity(design.user, maxQueuedJobs, trx);
    await quotas.assertStorable(design.user, needed, trx);
    await releaseQuota?.(trx);
    if (isNewDesign) await designs.add(design, trx);
    const number = await revisions.getNextNumber(design.id, trx, ifMatch);
    const revision: RevisionRecord = { id: randomUUID(), designId: design.id, number, source };
    await revisions.add(revision, time, trx);
    await jobs.add(createJob(revision.id), time, trx);
    // Read again: other requests may have changed the design since it was read.
    const queued = await designs.getChanged(design.id, trx);
    await afterRevision(trx, queued);
    assertResponse(Design, toDesign(queued));
    const summary: RevisionSummary = {
      revision,
      status: 'queued',
      problem: undefined,
      createdAt: time,
    };
    assertResponse(Revision, toRevision(summary, queued));
    await draft.assertRetained(trx);
    return queued;
  });
  designs.invalidate(design.id);
  runner.notify();
  return queued;
}
