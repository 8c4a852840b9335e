import { randomUUID } from 'node:crypto';
import type { ValidationWorker } from '@cloche/pipeline/validation-worker/validation-worker';
import type { BlobStore, Draft } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { createJob } from '../processing/job.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { JobStore } from '../processing/job-store.ts';
import type { RevisionRecord } from '../processing/revision.ts';
import type { DesignRecord } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { RevisionStore } from './revision-store.ts';

export type IngestDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  jobs: JobStore;
  blobs: BlobStore;
  database: Database;
  runner: Pick<JobRunner, 'notify'>;
  validationWorker: ValidationWorker;
  maxUploadBytes: number;
  maxQueuedJobs: number;
  now: () => Date;
};

/**
 * Stores a received file as the next revision of a design and queues it for processing. The blob is
 * durable before the rows that reference it are written. `writeFirst` writes further rows in the same
 * transaction, before the revision.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex, server.storage-full
 */
export async function ingestFile(
  dependencies: IngestDependencies,
  draft: Draft,
  design: DesignRecord,
  writeFirst: (trx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  const { designs, revisions, jobs, database, runner, validationWorker, now } = dependencies;
  const { detectedFormat } = await validationWorker.validate(draft.path);
  await draft.commit();
  const source = { blob: draft.ref, sizeBytes: draft.sizeBytes, detectedFormat };
  await database.transaction().execute(async (trx) => {
    await writeFirst(trx);
    const number = await revisions.getNextNumber(design.id, trx);
    const revision: RevisionRecord = { id: randomUUID(), designId: design.id, number, source };
    await revisions.add(revision, now(), trx);
    await jobs.add(createJob(revision.id), now(), trx);
  });
  designs.invalidate(design.id);
  runner.notify();
}
