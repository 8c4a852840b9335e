import { randomUUID } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import type { ValidationWorker } from '@cloche/pipeline/validation/worker/validation-worker';
import type { BlobStore, Draft } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { createJob } from '../processing/job.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { JobStore } from '../processing/job-store.ts';
import type { DesignRecord } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { RevisionStore } from './revision-store.ts';

/** Where files are taken in. */
export type IngestDependencies = {
  designs: DesignStore;
  revisions: RevisionStore;
  jobs: JobStore;
  blobs: BlobStore;
  database: Database;
  runner: Pick<JobRunner, 'notify'>;
  maxUploadBytes: number;
  /** Looks at a file before anything opens it. */
  validationWorker: ValidationWorker;
  /** @throws {Problem} server.busy */
  assertQueueCapacity(): Promise<void>;
  now: () => Date;
};

/**
 * Takes a file in as the next upload of a design. In the order that loses nothing: the bytes are safe
 * before the rows that name them, and the job is in the same transaction.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex, server.storage-full
 */
export async function ingestFile(
  intake: IngestDependencies,
  draft: Draft,
  design: DesignRecord,
  alsoWrite: (step: Database) => Promise<void> = async () => {},
): Promise<void> {
  const { revisions, jobs, database, runner, now } = intake;
  const { detectedFormat } = await intake.validationWorker.validate(draft.path);
  await draft.commit();
  const source = { blob: draft.ref, sizeBytes: draft.sizeBytes, detectedFormat };
  await database.transaction().execute(async (step) => {
    await alsoWrite(step);
    const number = await revisions.getNextNumber(design.id, step);
    const upload = { id: randomUUID(), designId: design.id, number, source };
    await revisions.add(upload, now(), step);
    await jobs.add(createJob(upload.id), now(), step);
  });
  intake.designs.invalidate(design.id);
  runner.notify();
}

/** Refuses files when too many wait. Asked before a file is read: nobody likes to send one for nothing. */
export function createQueueCapacityCheck(jobs: JobStore, most: number): () => Promise<void> {
  return async () => {
    const waiting = await jobs.count();
    if (waiting < most) return;
    throw new Problem('server.busy', {
      detail: `${waiting} files are waiting to be processed. Send this one again in a while.`,
      retryAfterSeconds: 10,
    });
  };
}
