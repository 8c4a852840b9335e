import { randomUUID } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import type { Blobs, Draft } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { makeJob } from '../pipeline/job.ts';
import type { Jobs } from '../pipeline/jobs.ts';
import type { Examiner } from '../pipeline/preflight/examiner.ts';
import type { Runner } from '../pipeline/runner.ts';
import type { Design } from './design.ts';
import type { Designs } from './designs.ts';
import type { Uploads } from './uploads.ts';

/** Where files are taken in. */
export type Intake = {
  designs: Designs;
  uploads: Uploads;
  jobs: Jobs;
  blobs: Blobs;
  database: Database;
  runner: Pick<Runner, 'wake'>;
  maxUploadBytes: number;
  /** Looks at a file before anything opens it. */
  examiner: Examiner;
  /** @throws {Problem} server.busy */
  checkRoom(): Promise<void>;
  now: () => Date;
};

/**
 * Takes a file in as the next upload of a design. In the order that loses nothing: the bytes are safe
 * before the rows that name them, and the job is in the same transaction.
 *
 * @throws {Problem} design.unreadable, design.unsupported, design.too-complex, server.storage-full
 */
export async function takeIn(
  intake: Intake,
  draft: Draft,
  design: Design,
  alsoWrite: (step: Database) => Promise<void> = async () => {},
): Promise<void> {
  const { uploads, jobs, database, runner, now } = intake;
  const { examined } = await intake.examiner.examine(draft.path);
  await draft.keep();
  const source = { blob: draft.ref, bytes: draft.sizeBytes, examined };
  await database.transaction().execute(async (step) => {
    await alsoWrite(step);
    const number = await uploads.nextNumber(design.id, step);
    const upload = { id: randomUUID(), designId: design.id, number, source };
    await uploads.add(upload, now(), step);
    await jobs.add(makeJob(upload.id), now(), step);
  });
  intake.designs.forget(design.id);
  runner.wake();
}

/** Refuses files when too many wait. Asked before a file is read: nobody likes to send one for nothing. */
export function roomChecker(jobs: Jobs, most: number): () => Promise<void> {
  return async () => {
    const waiting = await jobs.count();
    if (waiting < most) return;
    throw new Problem('server.busy', {
      detail: `${waiting} files are waiting to be processed. Send this one again in a while.`,
      retryAfterS: 10,
    });
  };
}
