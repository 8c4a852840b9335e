import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { BlobRef } from '../src/blobs/blob-store.ts';
import type { Database } from '../src/database/database.ts';
import { createDesign } from '../src/designs/design.ts';
import { completeDesignFields } from '../src/designs/design-fields.ts';
import { DesignStore } from '../src/designs/design-store.ts';
import { RevisionStore } from '../src/designs/revision-store.ts';
import { createJob, type Job } from '../src/processing/job.ts';
import { JobStore } from '../src/processing/job-store.ts';
import type { RevisionRecord } from '../src/processing/revision.ts';
import { createInitialUser } from '../src/startup/bootstrap-token.ts';
import { createUser } from '../src/users/user.ts';
import { UserStore } from '../src/users/user-store.ts';
import { openTestDatabase } from './test-database.ts';

export type TestJobStore = {
  jobStore: JobStore;
  database: Database;
  /** Adds a job for a new revision, by default of the first user. Its source blob does not exist. */
  addJob(userId?: string): Promise<Job>;
  /** Adds a user. Returns its id. */
  addUser(name: string): Promise<string>;
  /** The current time. Only `advanceTime` changes it. */
  now(): Date;
  advanceTime(ms: number): void;
};

/** Opens a job store with its own database and clock. */
export async function openTestJobStore(t: TestContext): Promise<TestJobStore> {
  const database = await openTestDatabase(t);
  await createInitialUser(database, new Date(), async () => {});
  const { id: firstUser } = await database
    .selectFrom('user')
    .select('id')
    .executeTakeFirstOrThrow();
  const designs = new DesignStore(database);
  const revisions = new RevisionStore(database, designs);
  const jobStore = new JobStore(database, 'node');
  let timeMs = Date.UTC(2030, 0);
  const now = () => new Date(timeMs);

  async function addJob(user = firstUser): Promise<Job> {
    const design = createDesign({ ...completeDesignFields({}, 'Oak chair'), user }, now());
    const revision: RevisionRecord = {
      id: randomUUID(),
      designId: design.id,
      number: 1,
      source: {
        blob: '0'.repeat(64) as BlobRef,
        sizeBytes: 1,
        fileName: undefined,
        detectedFormat: { format: 'glb' },
      },
    };
    const job = createJob(revision.id);
    await database.transaction().execute(async (trx) => {
      await designs.add(design, trx);
      await revisions.add(revision, now(), trx);
      await jobStore.add(job, now(), trx);
    });
    return job;
  }

  async function addUser(name: string): Promise<string> {
    const user = createUser(name, { operator: false }, now());
    const users = new UserStore(database);
    await database.transaction().execute((trx) => users.add(user, trx));
    return user.id;
  }

  const advanceTime = (ms: number) => {
    timeMs += ms;
  };
  return { jobStore, database, addJob, addUser, now, advanceTime };
}
